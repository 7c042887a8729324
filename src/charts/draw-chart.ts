import {
  type ChartLayout,
  FONT,
  type PlacedArrow,
  type PlacedState,
  type Point,
  type TextLine,
} from './lay-out-chart.ts';

/** Colours of a drawing that stands alone. Inside a page, its own variables of these names take their place. */
const STYLE = `
.chart-drawing{--chart-paper:#fff;--chart-box:#fff;--chart-group:#f6f8fa;--chart-ink:#1f2933;--chart-soft:#52606d;--chart-line:#7b8794;--chart-lit:#7350f2}
@media (prefers-color-scheme:dark){.chart-drawing{--chart-paper:#0d1117;--chart-box:#161b22;--chart-group:#11161d;--chart-ink:#e6edf3;--chart-soft:#9aa7b4;--chart-line:#6b7785;--chart-lit:#a48afb}}
`;

/** Rules that hold everywhere. */
const RULES = `
.chart-drawing{font-family:Inter,Arial,Helvetica,"Liberation Sans",sans-serif;background:var(--chart-paper)}
.chart-drawing rect{fill:var(--chart-box);stroke:var(--chart-line);stroke-width:1.2}
.chart-drawing .compound>rect{fill:var(--chart-group)}
.chart-drawing .name{font-size:${FONT.name}px;font-weight:600;fill:var(--chart-ink)}
.chart-drawing .line{font-size:${FONT.line}px;fill:var(--chart-soft)}
.chart-drawing .label{font-size:${FONT.line}px;fill:var(--chart-ink);paint-order:stroke;stroke:var(--chart-halo,var(--chart-paper));stroke-width:4px;stroke-linejoin:round}
.chart-drawing .arrow path{fill:none;stroke:var(--chart-line);stroke-width:1.2}
.chart-drawing .tip{fill:var(--chart-line)}
.chart-drawing .start{fill:var(--chart-ink)}
`;

/**
 * Draws a chart as SVG. Each state is a group with `data-state`, each arrow one with `data-source` and `data-target`, so that a page can
 * light them by class. `isAlone` gives it colours of its own, for light and dark.
 */
export function drawChart(
  chart: ChartLayout,
  { isAlone = true }: { readonly isAlone?: boolean } = {},
): string {
  const [width, height] = [chart.width, chart.height].map((size) => Math.ceil(size + 16));
  return [
    `<svg class="chart-drawing" xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(`Statechart ${chart.name}`)}">`,
    `<style>${isAlone ? STYLE : ''}${RULES}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
    toTexts(chart.lines, { at: { x: 4, y: 0 }, name: 'line' }),
    ...chart.states.map(toState),
    ...chart.arrows.map(toArrow),
    ...chart.starts.map(toStart),
    ...chart.arrows.map(
      ({ label, lines, source, target }) =>
        `<g data-source="${escapeText(source)}" data-target="${escapeText(target)}">${toTexts(lines, { at: { x: label.x + 4, y: label.y }, name: 'label' })}</g>`,
    ),
    '</svg>\n',
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function toState({ state, x, y, width, height, lines }: PlacedState): string {
  const kind = state.kind === 'compound' || state.kind === 'parallel' ? 'compound' : state.kind;
  const rect = (inset: number) =>
    `<rect x="${round(x + inset)}" y="${round(y + inset)}" width="${round(width - 2 * inset)}" height="${round(height - 2 * inset)}" rx="${8 - inset}"/>`;
  return [
    `<g class="state ${kind}" data-state="${escapeText(state.id)}"><title>${escapeText(state.description || state.id)}</title>${rect(0)}`,
    ...(state.kind === 'final' ? [rect(3)] : []),
    `<text class="name" x="${round(x + 12)}" y="${round(y + 18)}">${escapeText(state.name)}</text>`,
    toTexts(lines, { at: { x: x + 12, y: y + 24 }, name: 'line' }),
    '</g>',
  ].join('');
}

function toStart({ x, y, points }: ChartLayout['starts'][number]): string {
  return `<g class="arrow"><circle class="start" cx="${round(x)}" cy="${round(y)}" r="4"/><path d="${toPath(points)}" marker-end="url(#tip)"/></g>`;
}

function toArrow({ source, target, points }: PlacedArrow): string {
  return `<g class="arrow" data-source="${escapeText(source)}" data-target="${escapeText(target)}"><path d="${toPath(points)}" marker-end="url(#tip)"/></g>`;
}

function toTexts(
  lines: readonly TextLine[],
  { at, name }: { readonly at: Point; readonly name: 'line' | 'label' },
): string {
  return lines
    .map(
      ({ text, title }, index) =>
        `<text class="${name}" x="${round(at.x)}" y="${round(at.y + index * 15 + 11)}">${escapeText(text)}<title>${escapeText(title)}</title></text>`,
    )
    .join('');
}

/** Returns a line through the points with rounded corners. */
function toPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined) return `L${toText(point)}`;
    return `Q${toText(point)} ${toText({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`;
  });
  return `M${toText(first)}${parts.join('')}`;
}

function toText({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
