import type { Diagram } from './drawing/diagram.ts';
import { toDot } from './drawing/to-dot.ts';

interface Viz {
  instance(): Promise<{ renderString(dot: string, options: { format: string }): string }>;
}

/** Not one of our dependencies: it is used where somebody has it. */
const PACKAGE: string = '@viz-js/viz';

/** The families of the widths that the layout reckons with; they are alike. */
const FONTS = 'Arial, Helvetica, Liberation Sans, sans-serif';

/**
 * A diagram as SVG, drawn by Graphviz compiled to WebAssembly: the same diagram always gives the same bytes. `null` where there is
 * nobody to lay it out.
 */
export async function toSvg(diagram: Diagram): Promise<string | null> {
  const viz = await import(PACKAGE).catch(() => null);
  if (viz === null) return null;
  const graphviz = await (viz as Viz).instance();
  const svg = graphviz.renderString(toDot(diagram), { format: 'svg' });
  return svg.slice(svg.indexOf('<svg')).replaceAll('font-family="Arial"', `font-family="${FONTS}"`);
}
