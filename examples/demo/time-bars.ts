import type { FinalView } from '../../src/index.ts';

const COLUMNS = 50;

/** One bar for each process on one common axis of time. */
export function toTimeBars(views: readonly FinalView[]): readonly string[] {
  const first = Math.min(...views.map((view) => view.startedAt ?? view.endedAt));
  const last = Math.max(...views.map((view) => view.endedAt));
  const toColumn = (at: number) => Math.round(((at - first) / Math.max(1, last - first)) * COLUMNS);
  return views.map((view) => {
    const [from, to] = [toColumn(view.startedAt ?? view.endedAt), toColumn(view.endedAt)];
    const bar = `${'·'.repeat(from)}${'━'.repeat(Math.max(1, to - from))}${'·'.repeat(COLUMNS - to)}`;
    return `${(view.label ?? view.id).padEnd(8)}  ${bar}  ${(view.runtimeMs / 1_000).toFixed(1)} s`;
  });
}
