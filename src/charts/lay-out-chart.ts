import { toArrowPieces } from './arrow-pieces.ts';
import type { Chart, ChartLayout, LaidState } from './chart-layout.ts';
import { sizeOf, toStateLines } from './chart-text.ts';
import { childrenOf, type Diagram, type DiagramState } from './diagram.ts';
import { type Inside, layInside } from './lay-out-inside.ts';
import type { Point } from './ranks.ts';

export interface LayOutOptions {
  /** Width that the drawing should not exceed, in px; default 830, a column of a README. */
  readonly maxWidth?: number;
}

const MAX_WIDTH = 830;
const PADDING = 12;
const MAX_STATE_TEXT = 190;
/** Narrowest place for the text of a state with children. */
const MIN_HEAD = 190;

/** Places the states of a chart inside their parents, and routes its arrows. The same diagram gives the same layout. */
export function layOutChart(diagram: Diagram, { maxWidth = MAX_WIDTH }: LayOutOptions = {}): ChartLayout {
  const root = diagram.states.find(({ parent }) => parent === null);
  if (root === undefined) throw new TypeError('diagram must have a root state, got none');
  const pieces = toArrowPieces(diagram);
  const { width, height, boxes, arrows, labels } = layState({ diagram, pieces }, root, maxWidth, 0);
  return { diagram, width, height, boxes, arrows, labels };
}

function layState(chart: Chart, state: DiagramState, maxWidth: number, depth: number): LaidState {
  if (childrenOf(chart.diagram, state.id).length === 0) return layLeaf(chart, state, maxWidth, depth);
  const inside = layInside(chart, {
    state,
    maxWidth: maxWidth - 2 * PADDING,
    layChild: (child, room) => layState(chart, child, room, depth + 1),
  });
  const minWidth = Math.min(MIN_HEAD, maxWidth - 2 * PADDING);
  const contentWidth = Math.max(inside.width, minWidth);
  const width = contentWidth + 2 * PADDING;
  const shiftX = PADDING + (contentWidth - inside.width) / 2;
  const gap = widestGap(
    inside.arrows.flatMap((arrow) => crossingsOf(arrow)).map((x) => x + shiftX),
    width,
    minWidth,
  );
  const lines = toStateLines(chart.diagram, state, gap.width);
  const ruleY = sizeOf(lines).height + 14;
  const shiftY = ruleY + 4;
  const height = shiftY + inside.height + PADDING;
  const toPlace = ({ x, y }: Point) => ({ x: x + shiftX, y: y + shiftY });
  const borders = { top: 0, rule: ruleY, bottom: height };
  return {
    width,
    height,
    boxes: [
      { state, x: 0, y: 0, width, height, depth, lines, textX: gap.x, ruleY },
      ...inside.boxes.map((box) => ({ ...box, ...toPlace(box) })),
    ],
    arrows: inside.arrows.map(({ start, end, ...arrow }) => {
      const parts = arrow.lines.map((points) => points.map(toPlace));
      const [first, last] = [parts[0]?.[0], parts.at(-1)?.at(-1)];
      if (start !== null && first !== undefined) parts[0]?.unshift({ x: first.x, y: borders[start] });
      if (end !== null && last !== undefined) parts.at(-1)?.push({ x: last.x, y: borders[end] });
      return { ...arrow, lines: parts };
    }),
    labels: inside.labels.map((label) => ({ ...label, ...toPlace(label) })),
    gates: new Map([...inside.gates].map(([name, x]) => [name, x + shiftX])),
  };
}

function layLeaf({ diagram }: Chart, state: DiagramState, maxWidth: number, depth: number): LaidState {
  const lines = toStateLines(diagram, state, Math.min(MAX_STATE_TEXT, maxWidth - 2 * PADDING));
  const size = sizeOf(lines);
  const [width, height] = [Math.max(size.width + 20, 60), size.height + 14];
  const box = { state, x: 0, y: 0, width, height, depth, lines, textX: 10, ruleY: null };
  return { width, height, boxes: [box], arrows: [], labels: [], gates: new Map() };
}

type InsideArrow = Inside['arrows'][number];

/** Returns where an arrow crosses the text of the container: at a gate in its upper border. */
function crossingsOf({ start, end, lines }: InsideArrow): readonly number[] {
  const first = start === 'top' ? lines[0]?.[0] : undefined;
  const last = end === 'top' ? lines.at(-1)?.at(-1) : undefined;
  return [first, last].flatMap((point) => (point === undefined ? [] : [point.x]));
}

/** Finds the leftmost place for a text between upright lines, or the widest one if none has the wanted width. */
function widestGap(lines: readonly number[], width: number, wanted: number): { x: number; width: number } {
  const stops = [2, ...[...lines].sort((a, b) => a - b), width - 2];
  const gaps = stops.slice(1).map((stop, index) => {
    const x = (stops[index] ?? 0) + 8;
    return { x, width: stop - x - 8 };
  });
  const enough = gaps.find((gap) => gap.width >= wanted);
  return enough ?? gaps.reduce((best, gap) => (gap.width > best.width ? gap : best), { x: 10, width: 60 });
}
