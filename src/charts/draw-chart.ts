import type { ChartArrow, ChartBox, ChartLabel, ChartLayout } from './chart-layout.ts';
import { chartStyle } from './chart-style.ts';
import type { TextLine } from './chart-text.ts';
import type { DiagramTransition } from './diagram.ts';
import type { Point } from './ranks.ts';

export interface DrawOptions {
  /** Ids of the states that are drawn as current. */
  readonly lit?: readonly string[];
  /** Ids of the states and transitions that are drawn as passed. */
  readonly walked?: readonly string[];
  /** Prefix of the ids inside the SVG, if a page holds several drawings; default `chart`. */
  readonly id?: string;
  /**
   * Includes the style sheet in the drawing. Default `true`. With `false` the page serves {@link chartStyle}, for example because its
   * policy forbids inline styles.
   */
  readonly withStyle?: boolean;
}

/**
 * Draws a laid out chart as SVG, in the colours of the CSS variables `--chart-…`, light or dark as the reader prefers. States have the
 * attribute `data-state`; arrows and labels have `data-transitions` (ids separated by spaces) and `data-stands` (`source -> target`,
 * separated by commas); lines have `data-transition`. A page highlights elements by adding the classes `lit` and `walked`. All text is
 * escaped. The same layout always gives the same text.
 */
export function drawChart(layout: ChartLayout, options: DrawOptions = {}): string {
  const { lit = [], walked = [], id = 'chart', withStyle = true } = options;
  const { diagram, boxes, arrows, labels } = layout;
  const [width, height] = [Math.ceil(layout.width) + 2, Math.ceil(layout.height) + 2];
  const drawing: Drawing = {
    id,
    name: diagram.name,
    lit: new Set(lit),
    walked: new Set(walked),
    transitions: new Map(diagram.transitions.map((transition) => [transition.id, transition])),
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart-drawing" viewBox="-1 -1 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${escapeText(id)}-title">`,
    `<title id="${escapeText(id)}-title">${escapeText(`Statechart ${diagram.name}. ${diagram.description}`)}</title>`,
    ...(withStyle ? [`<style>${chartStyle}</style>`] : []),
    `<defs><marker id="${escapeText(id)}-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0.5L8 4L0 7.5Z"/></marker></defs>`,
    ...boxes.map((box) => toBox(box, drawing)),
    ...arrows.map((arrow) => toArrow(arrow, drawing)),
    ...labels.map((label) => toLabel(label, drawing)),
    ...boxes.map((box) => toBoxText(box, drawing)),
    '</svg>\n',
  ].join('\n');
}

interface Drawing {
  readonly id: string;
  readonly name: string;
  readonly lit: ReadonlySet<string>;
  readonly walked: ReadonlySet<string>;
  readonly transitions: ReadonlyMap<string, DiagramTransition>;
}

function classesOf(kind: string, ids: readonly string[], { lit, walked }: Drawing): string {
  return [
    kind,
    ...(ids.some((id) => lit.has(id)) ? ['lit'] : []),
    ...(ids.some((id) => walked.has(id)) ? ['walked'] : []),
  ].join(' ');
}

function toBox({ state, x, y, width, height, depth, ruleY }: ChartBox, drawing: Drawing): string {
  const classes = classesOf(`state ${state.kind} ${depth % 2 === 0 ? 'even' : 'odd'}`, [state.id], drawing);
  const size = (inset: number) =>
    `x="${round(x + inset)}" y="${round(y + inset)}" width="${round(width - 2 * inset)}" height="${round(height - 2 * inset)}" rx="${8 - inset}"`;
  const inner = state.kind === 'final' ? `<rect class="inner" ${size(3)}/>` : '';
  const rule =
    ruleY === null ? '' : `<path class="rule" d="M${round(x)} ${round(y + ruleY)}h${round(width)}"/>`;
  return `<g class="${classes}" data-state="${escapeText(state.id)}"><rect class="box" ${size(0)}/>${inner}${rule}</g>`;
}

function toBoxText({ state, x, y, textX, lines }: ChartBox, drawing: Drawing): string {
  const title = `${state.id === '' ? drawing.name : state.id}${state.description === '' ? '' : `: ${state.description}`}`;
  return `<g class="${classesOf('state text', [state.id], drawing)}" data-state="${escapeText(state.id)}"><title>${escapeText(title)}</title>${toLines(lines, { x: x + textX, y: y + 7 }, drawing)}</g>`;
}

function toArrow({ transitions, lines, hasHead, isInitial }: ChartArrow, drawing: Drawing): string {
  const classes = classesOf(isInitial ? 'edge initial' : 'edge', transitions, drawing);
  const paths = lines.map((points, index) => {
    const marker =
      hasHead && index === lines.length - 1 ? ` marker-end="url(#${escapeText(drawing.id)}-head)"` : '';
    return `<path class="line" d="${toPath(points)}"${marker}/>`;
  });
  const [start] = lines[0] ?? [];
  const dot =
    isInitial && start !== undefined
      ? `<circle class="start" cx="${round(start.x)}" cy="${round(start.y - 4.5)}" r="4.5"/>`
      : '';
  return `<g class="${classes}" ${toData(transitions, drawing)}>${toTitle(transitions, drawing)}${dot}${paths.join('')}</g>`;
}

function toLabel({ x, y, lines, transitions }: ChartLabel, drawing: Drawing): string {
  return `<g class="${classesOf('label', transitions, drawing)}" ${toData(transitions, drawing)}>${toTitle(transitions, drawing)}${toLines(lines, { x: x + 3, y: y + 2 }, drawing)}</g>`;
}

/** Names the transitions of an arrow by their ids and, as `data-stands`, by source and target: `running -> failed, running -> killed`. */
function toData(ids: readonly string[], { transitions }: Drawing): string {
  const ends = ids.flatMap((id) => {
    const transition = transitions.get(id);
    return transition === undefined ? [] : [`${transition.source} -> ${transition.target ?? ''}`];
  });
  return `data-transitions="${ids.join(' ')}" data-stands="${escapeText([...new Set(ends)].join(', '))}"`;
}

function toTitle(ids: readonly string[], { transitions }: Drawing): string {
  const sentences = ids.flatMap((id) => {
    const transition = transitions.get(id);
    return transition === undefined ? [] : [toSentence(transition)];
  });
  return sentences.length === 0 ? '' : `<title>${escapeText(sentences.join('\n'))}</title>`;
}

function toSentence({ source, target, event, guard, actions, description }: DiagramTransition): string {
  return [
    `${source === '' ? 'any state' : source} → ${target ?? source}:`,
    event ?? 'at once',
    ...(guard === null ? [] : [`[${guard}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
    ...(description === '' ? [] : [`(${description})`]),
  ].join(' ');
}

function toLines(lines: readonly TextLine[], { x, y }: Point, drawing: Drawing): string {
  let top = y;
  return lines
    .map(({ spans, height, spaceAbove, transition }) => {
      top += spaceAbove;
      const baseline = top + height * 0.78;
      top += height;
      const parts = spans.map(({ role, text }) => `<tspan class="${role}">${escapeText(text)}</tspan>`);
      const data =
        transition === null
          ? ''
          : ` class="${classesOf('transition', [transition], drawing)}" data-transition="${transition}"`;
      return `<text x="${round(x)}" y="${round(baseline)}"${data}>${parts.join('')}</text>`;
    })
    .join('');
}

/** Draws straight lines between corners above each other, and a curve where the line crosses over. */
function toPath(points: readonly Point[]): string {
  const corners = points
    .map(({ x, y }) => ({ x: round(x), y: round(y) }))
    .filter(({ x, y }, index, all) => x !== all[index - 1]?.x || y !== all[index - 1]?.y);
  return corners
    .map(({ x, y }, index) => {
      const previous = corners[index - 1];
      if (previous === undefined) return `M${x} ${y}`;
      if (previous.x === x) return `V${y}`;
      const middle = round((previous.y + y) / 2);
      return `C${previous.x} ${middle} ${x} ${middle} ${x} ${y}`;
    })
    .join('');
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
