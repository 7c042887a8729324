import type { Diagram } from './diagram.ts';
import { toDot } from './to-dot.ts';

interface Viz {
  instance(): Promise<{ renderString(dot: string, options: { format: string }): string }>;
}

/** An optional package: not one of our dependencies. */
const PACKAGE: string = '@viz-js/viz';

/** Font families of the widths that the layout assumes. */
const FONTS = 'Arial, Helvetica, Liberation Sans, sans-serif';

/**
 * Draws a diagram as SVG with Graphviz compiled to WebAssembly; the same diagram always gives the same bytes. `null` if the package is
 * not installed.
 */
export async function toSvg(diagram: Diagram): Promise<string | null> {
  const viz = await import(PACKAGE).catch(() => null);
  if (viz === null) return null;
  const graphviz = await (viz as Viz).instance();
  const svg = graphviz.renderString(toDot(diagram), { format: 'svg' });
  return svg.slice(svg.indexOf('<svg')).replaceAll('font-family="Arial"', `font-family="${FONTS}"`);
}
