import { assignColumns } from './assign-columns.ts';
import { orderRows } from './order-rows.ts';
import {
  type Below,
  gaps,
  type Point,
  type RankEdge,
  type RankInput,
  type Row,
  THIN,
  widthOf,
} from './ranks.ts';

export interface RankLayout {
  readonly width: number;
  readonly height: number;
  /** Upper left corners. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** Corners of each line, from top to bottom: upright inside a row of boxes, crossing over only between two rows. */
  readonly routes: ReadonlyMap<string, readonly Point[]>;
}

const MAX_ROUNDS = 14;

/** Places boxes in rows, by the method of Sugiyama, and routes lines that never cross a box. */
export function layRanks(input: RankInput): RankLayout {
  let below: readonly Below[] = [];
  let best: { readonly rows: readonly Row[]; readonly width: number } | null = null;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const rows = orderRows(input, below);
    const width = Math.max(0, ...rows.map(widthOf));
    if (best === null || width < best.width) best = { rows, width };
    const more = rows.flatMap((row) => breakRow(row, input));
    if (more.length === 0) break;
    below = [...below, ...more];
  }
  return toLayout(input, best?.rows ?? []);
}

/** Breaks a row that is too wide: boxes beyond the limit move below its widest box. */
function breakRow(row: Row, { maxWidth, nodes }: RankInput): readonly Below[] {
  const width = widthOf(row);
  if (width <= maxWidth) return [];
  const movable = row.items.filter(
    ({ id, width: own }) => own > THIN && nodes.some((node) => node.id === id && node.place !== 'top'),
  );
  const [first, ...others] = [...movable].sort((a, b) => b.width - a.width);
  if (first === undefined) return [];
  let used = width - movable.reduce((sum, item) => sum + item.width + gaps.boxes, 0);
  used += first.width + gaps.boxes;
  return others.flatMap((item) => {
    // A box that moves down leaves a line in its place.
    if (used + item.width + gaps.boxes > maxWidth) {
      used += gaps.boxes;
      return [{ upper: first.id, lower: item.id }];
    }
    used += item.width + gaps.boxes;
    return [];
  });
}

/** Turns rows into positions and routes, and moves the whole to the origin. */
function toLayout(input: RankInput, rows: readonly Row[]): RankLayout {
  const { nodes, edges } = input;
  const columns = assignColumns(input, rows);
  const tops = new Map<string, { readonly top: number; readonly bottom: number; readonly middle: number }>();
  let y = 0;
  for (const { items, height } of rows) {
    for (const { id } of items) tops.set(id, { top: y, bottom: y + height, middle: y + height / 2 });
    y += height + gaps.rows;
  }
  const bends = bendsOf(rows, columns);
  const boxes = new Map(
    nodes.map((node) => [node.id, { ...node, x: columns.get(node.id) ?? 0, ...rowAt(tops, node.id) }]),
  );
  const ends = spreadEnds(edges, boxes, bends);
  const routes = new Map<string, readonly Point[]>();
  for (const { id, from, to } of edges) {
    const [upper, lower, end] = [boxes.get(from), boxes.get(to), ends.get(id)];
    if (upper === undefined || lower === undefined || end === undefined) continue;
    routes.set(id, [
      { x: end.fromX, y: upper.middle + upper.height / 2 },
      { x: end.fromX, y: upper.bottom },
      ...(bends.get(id) ?? []).flatMap(({ x, item }) => {
        const { top, bottom } = rowAt(tops, item);
        return [
          { x, y: top },
          { x, y: bottom },
        ];
      }),
      { x: end.toX, y: lower.top },
      { x: end.toX, y: lower.middle - lower.height / 2 },
    ]);
  }
  const all = [...boxes.values()];
  const xs = [
    ...all.flatMap(({ x, width }) => [x - width / 2, x + width / 2]),
    ...[...routes.values()].flat().map(({ x }) => x),
  ];
  const left = Math.min(...xs);
  return {
    width: Math.max(...xs) - left,
    height: Math.max(0, y - gaps.rows),
    nodes: new Map(
      all.map(({ id, x, middle, width, height }) => [
        id,
        { x: x - width / 2 - left, y: middle - height / 2 },
      ]),
    ),
    routes: new Map(
      [...routes].map(([id, route]) => [id, route.map((point) => ({ x: point.x - left, y: point.y }))]),
    ),
  };
}

function rowAt<T>(tops: ReadonlyMap<string, T>, id: string): T {
  const row = tops.get(id);
  if (row === undefined) throw new Error(`"${id}" must stand in a row`);
  return row;
}

interface Bend {
  readonly x: number;
  /** Id of the item of a row that keeps the place free. */
  readonly item: string;
}

/** Lists the places where each line passes a row, from top to bottom. */
function bendsOf(
  rows: readonly Row[],
  columns: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly Bend[]> {
  const bends = new Map<string, Bend[]>();
  for (const { items } of rows)
    for (const { id, edge } of items)
      if (edge !== null) bends.set(edge, [...(bends.get(edge) ?? []), { x: columns.get(id) ?? 0, item: id }]);
  return bends;
}

interface Box {
  readonly x: number;
  readonly width: number;
}

/** Chooses where lines leave and reach a box: towards their next corner, apart from each other. */
function spreadEnds(
  edges: readonly RankEdge[],
  boxOf: ReadonlyMap<string, Box>,
  bends: ReadonlyMap<string, readonly Bend[]>,
): ReadonlyMap<string, { fromX: number; toX: number }> {
  const ends = new Map(edges.map(({ id }) => [id, { fromX: 0, toX: 0 }]));
  for (const side of ['fromX', 'toX'] as const) {
    const byBox = new Map<string, RankEdge[]>();
    for (const edge of edges) {
      const box = side === 'fromX' ? edge.from : edge.to;
      byBox.set(box, [...(byBox.get(box) ?? []), edge]);
    }
    for (const [id, members] of byBox) {
      const box = boxOf.get(id);
      if (box === undefined) continue;
      const left = box.x - box.width / 2;
      const aims = members.map((edge) => {
        const own = bends.get(edge.id) ?? [];
        const bend = side === 'fromX' ? own[0] : own.at(-1);
        const other = boxOf.get(side === 'fromX' ? edge.to : edge.from);
        return { edge, aim: bend?.x ?? other?.x ?? box.x };
      });
      const free = aims.filter(({ edge }) => edge[side] === null).sort((a, b) => a.aim - b.aim);
      const xs = spread(
        free.map(({ aim }) => aim),
        left + Math.min(10, box.width / 2),
        left + box.width - Math.min(10, box.width / 2),
      );
      for (const { edge } of aims) {
        const end = ends.get(edge.id);
        const index = free.findIndex((each) => each.edge === edge);
        if (end !== undefined) end[side] = index === -1 ? left + (edge[side] ?? 0) : (xs[index] ?? box.x);
      }
    }
  }
  return ends;
}

/** Moves sorted positions into a range, at least a line's distance apart where there is room. */
function spread(aims: readonly number[], min: number, max: number): readonly number[] {
  const gap = Math.min(12, aims.length > 1 ? (max - min) / (aims.length - 1) : 0);
  const xs: number[] = [];
  for (const [index, aim] of aims.entries())
    xs.push(
      Math.max(min + index * gap, Math.min(max, aim), (xs[index - 1] ?? Number.NEGATIVE_INFINITY) + gap),
    );
  let limit = max;
  for (let index = xs.length - 1; index >= 0; index -= 1) {
    xs[index] = Math.min(xs[index] ?? limit, limit);
    limit = (xs[index] ?? limit) - gap;
  }
  return xs;
}
