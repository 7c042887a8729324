import { Graph, layout } from '@dagrejs/dagre';
import { childrenOf, type Diagram, type DiagramState, isWithin } from './diagram.ts';

/** Place in a drawing, in pixels from its upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Rectangle of a drawing, in pixels. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Line of text; `title` says more on request. */
export interface TextLine {
  readonly text: string;
  readonly title: string;
}

/** State with its place. `lines` are events that it takes without leaving. */
export interface PlacedState extends Box {
  readonly state: DiagramState;
  readonly lines: readonly TextLine[];
}

/** Arrow between two states of the same parent, for all transitions from within the one to within the other. */
export interface PlacedArrow {
  readonly source: string;
  readonly target: string;
  readonly points: readonly Point[];
  readonly label: Box;
  readonly lines: readonly TextLine[];
}

/** Statechart with the place of all its parts. */
export interface ChartLayout {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Parents before children, without the root. */
  readonly states: readonly PlacedState[];
  readonly arrows: readonly PlacedArrow[];
  /** Dots at which a compound state begins, each with the arrow to its first child. */
  readonly starts: readonly (Point & { readonly points: readonly Point[] })[];
  /** Transitions from every state of the chart. */
  readonly lines: readonly TextLine[];
}

/** Font sizes in pixels. The width of a character is generous, so that no font overflows its box. */
export const FONT = { name: 14, line: 12 } as const;
const NAME_HEIGHT = 26;
const LINE_HEIGHT = 15;
const PADDING = 12;
const START = 10;
const WIDTHS = { name: 8.1, line: 6.7 } as const;

/**
 * Places the states and transitions of a chart. Each compound state is laid out on its own and is one box for its parent, so that nested
 * states stand inside their parents at any depth. A transition between levels is drawn between the two states below their common parent, and
 * its label names the inner state.
 */
export function layOutChart(diagram: Diagram): ChartLayout {
  const root = layOutInside(diagram, '');
  return { name: diagram.name, ...root, ...shift(root, { x: 0, y: 0 }) };
}

type Inside = Omit<ChartLayout, 'name'>;

function layOutInside(diagram: Diagram, parent: string): Inside {
  const children = childrenOf(diagram, parent);
  const insides = new Map(
    children
      .filter(({ id }) => childrenOf(diagram, id).length > 0)
      .map(({ id }) => [id, layOutInside(diagram, id)] as const),
  );
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 18, edgesep: 10, ranksep: 26, marginx: 2, marginy: 2 });
  const boxes = new Map(
    children.map((state) => [state.id, toSize(state, { diagram, inside: insides.get(state.id) })]),
  );
  for (const [id, { width, height }] of boxes) graph.setNode(id, { width, height });
  const bundles = toBundles(diagram, { parent, children });
  for (const { source, target, lines } of bundles) {
    const size = toTextSize(lines);
    graph.setEdge(source, target, { ...size, labelpos: 'c', weight: 1, minlen: 1 });
  }
  const initial = diagram.states.find(({ id }) => id === parent)?.initial ?? null;
  if (initial !== null && boxes.has(initial)) {
    graph.setNode('start', { width: START, height: START });
    graph.setEdge('start', initial, { weight: 3, minlen: 1, width: 0, height: 0 });
  }
  layout(graph);

  const lines = toLines(diagram, parent);
  const top = lines.length * LINE_HEIGHT + (lines.length > 0 ? 6 : 0);
  const states = children.flatMap((state): readonly PlacedState[] => {
    const node = graph.node(state.id);
    const size = boxes.get(state.id);
    if (size === undefined) return [];
    const at = { x: node.x - size.width / 2, y: node.y - size.height / 2 + top };
    const inside = insides.get(state.id);
    const nested = inside === undefined ? [] : shift(inside, toInner(at, size)).states;
    return [{ state, ...at, width: size.width, height: size.height, lines: size.lines }, ...nested];
  });
  const nested = children.flatMap(({ id }) => {
    const inside = insides.get(id);
    const node = graph.node(id);
    const size = boxes.get(id);
    if (inside === undefined || size === undefined) return [];
    return [shift(inside, toInner({ x: node.x - size.width / 2, y: node.y - size.height / 2 + top }, size))];
  });
  const arrows = bundles.map(({ source, target, lines: texts }): PlacedArrow => {
    const edge = graph.edge(source, target);
    const size = toTextSize(texts);
    const points = edge.points.map(({ x, y }: Point) => ({ x, y: y + top }));
    const label = { x: edge.x - size.width / 2, y: edge.y - size.height / 2 + top, ...size };
    return { source, target, points, label, lines: texts };
  });
  const start =
    initial !== null && boxes.has(initial)
      ? [{ ...graph.node('start'), points: graph.edge('start', initial).points }]
      : [];
  const size = graph.graph();
  const textWidth = toTextSize(lines).width;
  return {
    width: Math.max(Number(size.width), textWidth),
    height: Number(size.height) + top,
    states,
    arrows: [...arrows, ...nested.flatMap((inside) => inside.arrows)],
    starts: [
      ...start.map(({ x, y, points }) => ({
        ...{ x, y: y + top },
        points: points.map((point: Point) => ({ x: point.x, y: point.y + top })),
      })),
      ...nested.flatMap((inside) => inside.starts),
    ],
    lines,
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly TextLine[];
  /** Height of name and lines. */
  readonly head: number;
}

function toSize(
  state: DiagramState,
  { diagram, inside }: { diagram: Diagram; inside: Inside | undefined },
): Size {
  const lines = inside === undefined ? toLines(diagram, state.id) : inside.lines;
  const text = toTextSize(lines);
  const head = NAME_HEIGHT + (inside === undefined ? text.height : 0);
  const name = state.name.length * WIDTHS.name;
  const width = Math.max(name, text.width, inside?.width ?? 0, 60) + 2 * PADDING;
  const height = head + (inside === undefined ? PADDING : inside.height + 2 * PADDING);
  return { width, height, lines, head };
}

/** Returns where the content of a compound state begins, below its name. */
function toInner({ x, y }: Point, { width, head }: Size): Point & { readonly width: number } {
  return { x: x + PADDING, y: y + head + PADDING / 2, width: width - 2 * PADDING };
}

function toTextSize(lines: readonly TextLine[]): { readonly width: number; readonly height: number } {
  const longest = Math.max(0, ...lines.map(({ text }) => text.length));
  return { width: longest * WIDTHS.line + (longest > 0 ? 8 : 0), height: lines.length * LINE_HEIGHT };
}

/** Moves a content; one that is narrower than its place is centred in it. */
function shift(
  inside: Inside,
  to: Point & { readonly width?: number },
): Pick<Inside, 'states' | 'arrows' | 'starts'> {
  const dx = to.x + Math.max(0, ((to.width ?? inside.width) - inside.width) / 2);
  const dy = to.y;
  const moved = <P extends Point>(point: P): P => ({ ...point, x: point.x + dx, y: point.y + dy });
  return {
    states: inside.states.map(moved),
    arrows: inside.arrows.map((arrow) => ({
      ...arrow,
      points: arrow.points.map(moved),
      label: moved(arrow.label),
    })),
    starts: inside.starts.map((start) => ({ ...moved(start), points: start.points.map(moved) })),
  };
}

/** Returns one bundle for each pair of children between which transitions lead. */
function toBundles(
  diagram: Diagram,
  { parent, children }: { readonly parent: string; readonly children: readonly DiagramState[] },
) {
  const childOf = (id: string) => children.find((child) => isWithin(id, child.id))?.id;
  const bundles = new Map<string, { source: string; target: string; lines: TextLine[] }>();
  for (const transition of diagram.transitions) {
    const { source, target } = transition;
    if (target === null || !isWithin(source, parent) || !isWithin(target, parent)) continue;
    const [from, to] = [childOf(source), childOf(target)];
    if (from === undefined || to === undefined || from === to) continue;
    const key = JSON.stringify([from, to]);
    const bundle = bundles.get(key) ?? { source: from, target: to, lines: [] };
    bundles.set(key, bundle);
    const inner = source === from ? '' : `${source.slice(from.length + 1)}: `;
    const into = target === to ? '' : ` → ${target.slice(to.length + 1)}`;
    addLine(bundle.lines, {
      text: `${inner}${toWords(transition)}${into}`.trim(),
      title: toTitle(transition),
    });
  }
  return [...bundles.values()];
}

/**
 * Returns the transitions that are no arrows: those that a state takes without leaving it, those that lead from anywhere inside to one of its
 * descendants, and those to states that the chart does not show.
 */
function toLines(diagram: Diagram, id: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  const shown = new Set(diagram.states.map((state) => state.id));
  for (const transition of diagram.transitions) {
    const { source, target } = transition;
    if (source !== id) continue;
    if (target === null || target === id)
      addLine(lines, { text: toWords(transition), title: toTitle(transition) });
    else if (!shown.has(target))
      addLine(lines, { text: `${toWords(transition)} ⇒ ${target}`, title: toTitle(transition) });
    else if (isWithin(target, id))
      addLine(lines, {
        text: `${toWords(transition)} → ${target.slice(id === '' ? 0 : id.length + 1)}`,
        title: toTitle(transition),
      });
  }
  return lines;
}

/** Longest line of a label in characters: the guard of a longer one begins a new line. */
const MAX_LINE = 26;

/** The same words are written once; their titles are joined. */
function addLine(lines: TextLine[], { text, title }: TextLine): void {
  const guard = text.length > MAX_LINE ? text.indexOf(' [') : -1;
  if (guard > 0) {
    addLine(lines, { text: text.slice(0, guard), title });
    addLine(lines, { text: `\u00a0\u00a0${text.slice(guard + 1)}`, title });
    return;
  }
  const line = { text, title };
  const index = lines.findIndex(({ text }) => text === line.text);
  const known = lines[index];
  if (known === undefined) lines.push(line);
  else lines[index] = { text: line.text, title: `${known.title}\n${line.title}` };
}

function toWords({ event, guard }: Diagram['transitions'][number]): string {
  return [event ?? '', guard === null ? '' : `[${guard}]`].join(' ').trim() || 'at once';
}

function toTitle({
  source,
  target,
  event,
  guard,
  actions,
  description,
}: Diagram['transitions'][number]): string {
  const head = `${source || 'anywhere'}: ${event ?? 'at once'}${guard === null ? '' : ` [${guard}]`}`;
  const effects = actions.length === 0 ? '' : ` / ${actions.join(', ')}`;
  return `${head}${target === null ? '' : ` → ${target}`}${effects}${description === '' ? '' : `\n${description}`}`;
}
