import { type RankEdge, type RankInput, type Row, separation, widthOf } from './ranks.ts';

const SWEEPS = 24;
/** Distance of a line's end from the corner of a box, in px. */
const CORNER = 10;

/**
 * Assigns the middle of each item, in px, in the given order of each row: near the items that it is joined to, never outside of the
 * widest row or of `maxWidth`.
 */
export function assignColumns(
  { edges, maxWidth }: RankInput,
  rows: readonly Row[],
): ReadonlyMap<string, number> {
  const width = Math.max(maxWidth, ...rows.map(widthOf));
  const columns = new Map(rows.flatMap(({ items }) => items.map(({ id, x }) => [id, x] as const)));
  const widths = new Map(rows.flatMap(({ items }) => items.map((item) => [item.id, item.width] as const)));
  const joints = toJoints(edges, rows);
  const attach = ({ other, offset }: Joint, own: number): number => {
    const [middle, half] = [columns.get(other) ?? 0, (widths.get(other) ?? 0) / 2];
    if (offset !== null) return middle - half + offset;
    const reach = Math.max(0, half - CORNER);
    return Math.min(middle + reach, Math.max(middle - reach, own));
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const side = sweep >= SWEEPS - 4 ? null : sweep % 2 === 0 ? 'up' : 'down';
    for (const row of side === 'down' ? rows.toReversed() : rows) {
      const wishes = row.items.map(({ id, width: own }) => {
        const now = columns.get(id) ?? 0;
        const all = joints.get(id) ?? [];
        const asked = side === null ? all : all.filter((joint) => joint.side === side);
        const weight = asked.reduce((sum, joint) => sum + joint.weight, 0);
        if (weight === 0) return { wish: now, weight: 0.1 };
        const sum = asked.reduce((total, joint) => {
          const from = joint.ownOffset === null ? 0 : joint.ownOffset - own / 2;
          return total + joint.weight * (attach(joint, now + from) - from);
        }, 0);
        return { wish: sum / weight, weight };
      });
      for (const [index, x] of arrange(row, wishes, width).entries()) {
        const item = row.items[index];
        if (item !== undefined) columns.set(item.id, x);
      }
    }
  }
  return columns;
}

/** A line from one item to an item of another row. */
interface Joint {
  readonly other: string;
  readonly side: 'up' | 'down';
  /** Fixed end at the other box, from its left side. */
  readonly offset: number | null;
  readonly ownOffset: number | null;
  readonly weight: number;
}

function toJoints(edges: readonly RankEdge[], rows: readonly Row[]): ReadonlyMap<string, readonly Joint[]> {
  const bends = new Map<string, string[]>();
  for (const { items } of rows)
    for (const { id, edge } of items) if (edge !== null) bends.set(edge, [...(bends.get(edge) ?? []), id]);
  const joints = new Map<string, Joint[]>();
  const add = (id: string, joint: Joint) => joints.set(id, [...(joints.get(id) ?? []), joint]);
  for (const { id, from, to, fromX, toX } of edges) {
    const stops = [from, ...(bends.get(id) ?? []), to];
    for (const [index, lower] of stops.entries()) {
      const upper = stops[index - 1];
      if (upper === undefined) continue;
      const [isFirst, isLast] = [index === 1, index === stops.length - 1];
      // Long lines shall be straight.
      const weight = isFirst || isLast ? (isFirst && isLast ? 1 : 2) : 8;
      const [upperX, lowerX] = [isFirst ? fromX : null, isLast ? toX : null];
      add(lower, { other: upper, side: 'up', offset: upperX, ownOffset: lowerX, weight });
      add(upper, { other: lower, side: 'down', offset: lowerX, ownOffset: upperX, weight });
    }
  }
  return joints;
}

interface Wish {
  readonly wish: number;
  readonly weight: number;
}

/**
 * Moves the items of a row as little as possible from their wishes so that none overlaps the next: isotonic regression by pooling
 * adjacent violators (https://en.wikipedia.org/wiki/Isotonic_regression).
 */
function arrange({ items }: Row, wishes: readonly Wish[], width: number): readonly number[] {
  let offset = 0;
  const offsets = items.map((item, index) => {
    const left = items[index - 1];
    if (left !== undefined) offset += (left.width + item.width) / 2 + separation(left, item);
    return offset;
  });
  const pools: { wish: number; weight: number; count: number }[] = [];
  for (const [index, { wish, weight }] of wishes.entries()) {
    let pool = { wish: wish - (offsets[index] ?? 0), weight, count: 1 };
    for (let last = pools.at(-1); last !== undefined && last.wish > pool.wish; last = pools.at(-1)) {
      pools.pop();
      const sum = last.weight + pool.weight;
      pool = {
        wish: (last.wish * last.weight + pool.wish * pool.weight) / sum,
        weight: sum,
        count: last.count + pool.count,
      };
    }
    pools.push(pool);
  }
  const min = (items[0]?.width ?? 0) / 2;
  const max = width - (items.at(-1)?.width ?? 0) / 2 - offset;
  return pools
    .flatMap(({ wish, count }) => Array<number>(count).fill(Math.max(min, Math.min(max, wish))))
    .map((x, index) => x + (offsets[index] ?? 0));
}
