import type { Diagram } from './drawing/diagram.ts';
import { toDot } from './drawing/to-dot.ts';

/** The families of the widths that the layout reckons with; they are alike. */
const FONTS = 'Arial, Helvetica, Liberation Sans, sans-serif';

/**
 * A diagram as SVG, drawn by Graphviz compiled to WebAssembly: nothing need be installed on the machine, and the same
 * diagram always gives the same bytes.
 */
export async function toSvg(diagram: Diagram): Promise<string> {
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  const svg = viz.renderString(toDot(diagram), { format: 'svg' });
  return svg.slice(svg.indexOf('<svg')).replaceAll('font-family="Arial"', `font-family="${FONTS}"`);
}
