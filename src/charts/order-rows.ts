import { Graph, layout } from '@dagrejs/dagre';
import { type Below, gaps, type RankInput, type Row } from './ranks.ts';

const TOP = '<top>';
const BOTTOM = '<bottom>';

/** Orders boxes in rows with Dagre, so that lines are short and cross each other seldom. */
export function orderRows({ nodes, edges }: RankInput, below: readonly Below[]): readonly Row[] {
  const graph = new Graph({ directed: true, multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: gaps.boxes,
    edgesep: gaps.lines,
    ranksep: gaps.rows,
  });
  const link = (from: string, to: string, name: string, weight: number) =>
    graph.setEdge(from, to, { weight, minlen: 1, width: 0, height: 0, labelpos: 'c' }, name);
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  graph.setNode(TOP, { width: 0, height: 0 });
  graph.setNode(BOTTOM, { width: 0, height: 0 });
  for (const { id, from, to, weight } of edges) link(from, to, id, weight);
  for (const { upper, lower } of below) link(upper, lower, `${upper} above ${lower}`, 0);
  const sources = new Set(edges.map(({ from }) => from));
  const targets = new Set([...edges.map(({ to }) => to), ...below.map(({ lower }) => lower)]);
  for (const { id, place } of nodes) {
    if (place === 'top') link(TOP, id, `top ${id}`, 100);
    else if (!targets.has(id)) link(TOP, id, `top ${id}`, 0);
    if (place === 'bottom') link(id, BOTTOM, `bottom ${id}`, 100);
    else if (place === 'low') link(id, BOTTOM, `bottom ${id}`, 20);
    else if (!sources.has(id)) link(id, BOTTOM, `bottom ${id}`, 0);
  }
  layout(graph);
  return toRows(graph, { nodes, edges });
}

type Item = Row['items'][number];

function toRows(graph: Graph, { nodes, edges }: Pick<RankInput, 'nodes' | 'edges'>): readonly Row[] {
  const rows = new Map<number, { height: number; items: Item[] }>();
  // Twice the middle of a row is a whole number of half pixels.
  const rowOf = (y: number) => Math.round(y * 4);
  for (const { id, width, height } of nodes) {
    const { x = 0, y = 0 } = graph.node(id);
    const row = rows.get(rowOf(y)) ?? { height: 0, items: [] };
    row.items.push({ id, width, edge: null, x });
    rows.set(rowOf(y), { ...row, height: Math.max(row.height, height) });
  }
  for (const { id, from, to } of edges) {
    const points: readonly { x: number; y: number }[] = graph.edge(from, to, id).points ?? [];
    // Between each two rows Dagre has one for labels, which are boxes here: there is none to be found.
    for (const { x, y } of points.slice(1, -1))
      rows.get(rowOf(y))?.items.push({ id: `${id} at ${rowOf(y)}`, width: 1, edge: id, x });
  }
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, { height, items }]) => ({ height, items: items.sort((a, b) => a.x - b.x) }));
}
