import type { ArrowPiece, PieceEnd } from './arrow-pieces.ts';
import type { Chart, ChartArrow, ChartBox, ChartLabel, LaidState } from './chart-layout.ts';
import { sizeOf, type TextLine, toTransitionLines } from './chart-text.ts';
import { childrenOf, type DiagramState } from './diagram.ts';
import { layRanks, type RankLayout } from './rank-layout.ts';
import type { Point, RankEdge, RankNode } from './ranks.ts';

/** Border of the container that an arrow is extended to: its upper or lower side, or the rule below its text. */
type Border = 'top' | 'rule' | 'bottom';

/** The inside of a state, at the origin. */
export interface Inside {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly ChartBox[];
  readonly arrows: readonly (ChartArrow & { readonly start: Border | null; readonly end: Border | null })[];
  readonly labels: readonly ChartLabel[];
  readonly gates: ReadonlyMap<string, number>;
}

export interface InsideInput {
  readonly state: DiagramState;
  readonly maxWidth: number;
  /** Lays out a child that should not be wider than `room`. */
  readonly layChild: (child: DiagramState, room: number) => LaidState;
}

const MAX_LABEL = 170;
const DOT = 9;
const START = '<start>';
/** Room beside a compound state for the lines that pass it, in px; more is made where it does not suffice. */
const PASSAGE = 30;
const MAX_ROUNDS = 4;
const MIN_ROOM = 300;

/** Lays out the children of a state with the arrows between them. */
export function layInside(chart: Chart, input: InsideInput): Inside {
  const children = childrenOf(chart.diagram, input.state.id);
  const hasCompound = children.some(({ kind }) => kind === 'compound' || kind === 'parallel');
  let room = hasCompound ? input.maxWidth - PASSAGE : input.maxWidth;
  let best: Inside | null = null;
  const laid = new Map<string, LaidState>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    for (const child of children)
      if ((laid.get(child.id)?.width ?? Number.POSITIVE_INFINITY) > room)
        laid.set(child.id, input.layChild(child, room));
    const inside = arrange(chart, input, laid);
    if (best === null || inside.width < best.width) best = inside;
    if (inside.width <= input.maxWidth || !hasCompound) break;
    const widest = Math.max(...[...laid.values()].map(({ width }) => width));
    room = Math.max(MIN_ROOM, Math.min(room, widest) - (inside.width - input.maxWidth));
  }
  if (best === null) throw new TypeError(`"${input.state.id}" must have children, got none`);
  return best;
}

/** Piece of an arrow with the box of its label, if it has one. */
interface LabelledPiece {
  readonly id: string;
  readonly piece: ArrowPiece;
  readonly lines: readonly TextLine[];
}

function arrange(chart: Chart, input: InsideInput, laid: ReadonlyMap<string, LaidState>): Inside {
  const { state, maxWidth } = input;
  const pieces = chart.pieces
    .filter(({ container }) => container === state.id)
    .map((piece, index) => ({
      id: `<arrow ${index}>`,
      piece,
      lines: piece.hasLabel
        ? piece.transitions.flatMap((transition) => toTransitionLines(chart.diagram, transition, MAX_LABEL))
        : [],
    }));
  const ranks = layRanks({
    nodes: toNodes(chart, input, laid, pieces),
    edges: [
      ...pieces.flatMap((each) => toEdges(each, laid)),
      ...(state.initial === null ? [] : [initialEdge(childOf(chart, state, state.initial))]),
    ],
    maxWidth,
  });
  const at = (id: string): Point => ranks.nodes.get(id) ?? { x: 0, y: 0 };
  const placed = [...laid].map(([id, child]) => [at(id), child] as const);
  return {
    width: ranks.width,
    height: ranks.height,
    boxes: placed.flatMap(([by, { boxes }]) => boxes.map((box) => ({ ...box, ...add(box, by) }))),
    arrows: [
      ...placed.flatMap(([by, { arrows }]) =>
        arrows.map((arrow) => ({
          ...arrow,
          lines: arrow.lines.map((points) => points.map((point) => add(point, by))),
          start: null,
          end: null,
        })),
      ),
      ...pieces.map((each) => toArrow(each, ranks)),
      ...initialArrow(ranks),
    ],
    labels: [
      ...placed.flatMap(([by, { labels }]) => labels.map((label) => ({ ...label, ...add(label, by) }))),
      ...pieces.flatMap(({ id, piece, lines }) =>
        lines.length === 0
          ? []
          : [
              {
                ...at(id),
                ...labelSize(lines),
                lines,
                transitions: piece.transitions.map((each) => each.id),
              },
            ],
      ),
    ],
    gates: new Map(
      pieces.flatMap(({ piece }) =>
        [piece.from, piece.to].flatMap((end) =>
          end.kind === 'gate' && end.gate !== null ? [[end.gate, at(nameOf(end)).x] as const] : [],
        ),
      ),
    ),
  };
}

function toNodes(
  { diagram }: Chart,
  { state }: InsideInput,
  laid: ReadonlyMap<string, LaidState>,
  pieces: readonly LabelledPiece[],
): readonly RankNode[] {
  const children = childrenOf(diagram, state.id);
  const isMixed = children.some(({ kind }) => kind !== 'final');
  const gates = new Map<string, RankNode>();
  for (const { piece } of pieces)
    for (const [end, isUpper] of [
      [piece.from, piece.direction === 'down'],
      [piece.to, piece.direction === 'up'],
    ] as const) {
      if (end.kind === 'state') continue;
      const id = nameOf(end, isUpper);
      gates.set(id, { id, width: 2, height: 0, place: isUpper ? 'top' : 'bottom' });
    }
  return [
    ...(state.initial === null ? [] : [{ id: START, width: DOT, height: DOT, place: 'top' } as const]),
    ...children.map(({ id, kind }) => ({
      id,
      width: laid.get(id)?.width ?? 0,
      height: laid.get(id)?.height ?? 0,
      place: kind === 'final' && isMixed ? ('low' as const) : ('free' as const),
    })),
    ...gates.values(),
    ...pieces.flatMap(({ id, lines }) =>
      lines.length === 0 ? [] : [{ id, ...labelSize(lines), place: 'free' as const }],
    ),
  ];
}

/** Names the box of an end: a gate is known by its name, a border by its side. */
function nameOf({ kind, state, gate }: PieceEnd, isUpper = false): string {
  if (kind === 'state') return state;
  return kind === 'gate' ? `<gate ${gate}>` : `<border ${isUpper ? 'above' : 'below'}>`;
}

function toEdges({ id, piece, lines }: LabelledPiece, laid: ReadonlyMap<string, LaidState>) {
  const { upper, lower } = endsOf(piece);
  const gateOf = ({ kind, state, gate }: PieceEnd) =>
    kind === 'state' && gate !== null ? (laid.get(state)?.gates.get(gate) ?? null) : null;
  const [from, to] = [nameOf(upper, true), nameOf(lower, false)];
  const [fromX, toX] = [gateOf(upper), gateOf(lower)];
  if (lines.length === 0) return [{ id, from, to, fromX, toX, weight: 2 }];
  const isDown = piece.direction === 'down';
  const middle = labelSize(lines).width / 2;
  const edges: readonly RankEdge[] = [
    { id: `${id} above`, from, to: id, fromX, toX: middle, weight: isDown ? 3 : 1 },
    { id: `${id} below`, from: id, to, fromX: middle, toX, weight: isDown ? 1 : 3 },
  ];
  return edges;
}

function endsOf({ from, to, direction }: ArrowPiece): { upper: PieceEnd; lower: PieceEnd } {
  return direction === 'down' ? { upper: from, lower: to } : { upper: to, lower: from };
}

function toArrow({ id, piece, lines }: LabelledPiece, { routes }: RankLayout): Inside['arrows'][number] {
  const ids = lines.length === 0 ? [id] : [`${id} above`, `${id} below`];
  const downwards = ids.map((each) => routes.get(each) ?? []);
  const isDown = piece.direction === 'down';
  return {
    transitions: piece.transitions.map((each) => each.id),
    lines: isDown ? downwards : downwards.toReversed().map((points) => points.toReversed()),
    hasHead: piece.hasHead,
    isInitial: false,
    start: borderOf(piece.from, isDown),
    end: borderOf(piece.to, !isDown),
  };
}

function borderOf({ kind }: PieceEnd, isUpper: boolean): Border | null {
  if (kind === 'state') return null;
  if (!isUpper) return 'bottom';
  return kind === 'border' ? 'rule' : 'top';
}

function childOf({ diagram }: Chart, state: DiagramState, inner: string): string {
  return (
    childrenOf(diagram, state.id).find(({ id }) => inner === id || inner.startsWith(`${id}.`))?.id ?? inner
  );
}

function initialEdge(to: string): RankEdge {
  return { id: START, from: START, to, fromX: null, toX: null, weight: 1 };
}

function initialArrow({ routes }: RankLayout): Inside['arrows'] {
  const route = routes.get(START);
  if (route === undefined) return [];
  return [{ transitions: [], lines: [route], hasHead: true, isInitial: true, start: null, end: null }];
}

function labelSize(lines: readonly TextLine[]): { width: number; height: number } {
  const { width, height } = sizeOf(lines);
  return { width: width + 6, height: height + 4 };
}

function add(a: Point, b: Point): Point {
  return { x: a.x + b.x, y: a.y + b.y };
}
