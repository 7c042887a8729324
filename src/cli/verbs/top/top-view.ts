import { hasLiveMembers, type ProcessView } from '../../../process/process-view.ts';
import type { ProcessUsage } from '../../../spawn/tree/tree-usage.ts';
import type { SeenProcess } from '../../../state-directory/state-directory.ts';
import type { Page } from '../../render/page.ts';
import { toPrintable, toVisible } from '../../render/printable.ts';
import { processColumns } from '../../render/process-table.ts';
import { toProcessName } from '../../render/process-text.ts';
import { type Column, renderTable } from '../../render/table.ts';
import { clip, pad, textWidth } from '../../render/wrap.ts';
import { describeEmptyList } from '../ps.ts';

export interface TopRow extends SeenProcess {
  readonly usage: ProcessUsage | null;
}

export const topOrders = ['cpu', 'memory', 'age'] as const;

export type TopOrder = (typeof topOrders)[number];

/** Content below the title. Facts and a question keep their own process when the selection moves. */
export type TopPane =
  | { readonly type: 'list' }
  | {
      readonly type: 'facts';
      readonly of: ProcessView;
      readonly lines: readonly string[];
      readonly from: number;
    }
  | { readonly type: 'confirm'; readonly of: ProcessView };

export interface TopView {
  readonly path: string;
  readonly rows: readonly TopRow[];
  readonly selectedId: string | null;
  readonly order: TopOrder;
  /** Includes ended processes without leftovers. */
  readonly showsAll: boolean;
  readonly pane: TopPane;
  /** Last event or error. */
  readonly message: string | null;
}

const { id, status, kind, pid, runtime, command } = processColumns;

const columns: readonly Column<TopRow>[] = [
  id,
  status,
  { ...kind, dropPriority: 5 },
  { ...pid, dropPriority: 3 },
  { heading: 'CPU', cell: ({ usage }) => toPercent(usage), align: 'right', dropPriority: 1 },
  { heading: 'MEM', cell: ({ usage }) => toMebibytes(usage), align: 'right', dropPriority: 2 },
  { ...runtime, dropPriority: 4 },
  command,
];

/** Sorts rows; equal ones stay in the order of their creation. */
export function sortRows(rows: readonly TopRow[], order: TopOrder): readonly TopRow[] {
  const weightOf = ({ usage }: TopRow) =>
    order === 'age' ? 0 : ((order === 'cpu' ? usage?.cpuShare : usage?.memoryBytes) ?? 0);
  return [...rows].sort((a, b) => weightOf(b) - weightOf(a));
}

/** Renders exactly as many lines as the screen has rows. */
export function renderTop(
  view: TopView,
  { page, rows }: { readonly page: Page; readonly rows: number },
): string[] {
  const bodyRows = Math.max(1, rows - 3);
  const body =
    view.pane.type === 'facts'
      ? view.pane.lines.slice(view.pane.from, view.pane.from + bodyRows)
      : renderList(view, { page, rows: bodyRows });
  const filled = [...body, ...Array.from({ length: bodyRows - body.length }, () => '')];
  return [toTitle(view, page), '', ...filled, toFooter(view, page)].slice(0, rows);
}

function toTitle({ path, rows }: TopView, page: Page): string {
  const live = rows.filter(({ view }) => !('endedAt' in view)).length;
  const leaving = rows.filter(({ view }) => 'endedAt' in view && hasLiveMembers(view)).length;
  const counts = [`${live} running`, ...(leaving === 0 ? [] : [`${leaving} ended with live leftovers`])];
  return page.paint('bold', clip(`  ${counts.join(', ')} · ${toPrintable(path)}`, page.width));
}

function renderList(view: TopView, { page, rows }: { readonly page: Page; readonly rows: number }): string[] {
  if (view.rows.length === 0) return [`  ${describeEmptyList({ path: view.path, all: view.showsAll })}`];
  const [heading = [], ...lines] = renderTable({ rows: view.rows, columns }, page);
  const selected = view.rows.findIndex((row) => row.view.id === view.selectedId);
  const room = rows - 1;
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), lines.length - room));
  const shown = lines.slice(from, from + room).flatMap(([line = ''], index) => {
    if (from + index !== selected) return [line];
    const { width } = page;
    return [page.paint('inverse', Number.isFinite(width) ? pad(line, width) : line)];
  });
  return [...heading, ...shown];
}

function toFooter({ pane, message, order }: TopView, page: Page): string {
  if (pane.type === 'confirm') return page.paint(['bold', 'yellow'], toQuestion(pane.of, page));
  const text = message ?? toKeyHelp({ pane, order });
  return page.paint('dim', clip(`  ${toPrintable(text)}`, page.width));
}

/** Cuts the command on a narrow screen, never the possible answers. */
function toQuestion(of: ProcessView, { width }: Page): string {
  const head = `  End ${toProcessName(of)} with its tree: `;
  const tail = '? y/N';
  const room = width - textWidth(head) - textWidth(tail);
  const text = room < 2 ? `  End ${of.id}` : head + clip(toVisible(of.commandLine), room);
  return clip(text, width - textWidth(tail)) + tail;
}

function toKeyHelp({ pane, order }: Pick<TopView, 'pane' | 'order'>): string {
  if (pane.type === 'facts') return 'q back · ↑↓ scroll · k end it';
  return `q quit · ↑↓ select · ⏎ facts · k end it · a all · s by ${order}`;
}

function toPercent(usage: ProcessUsage | null): string {
  return usage === null || usage.cpuShare === null
    ? '–'
    : `${Math.round(Math.max(0, usage.cpuShare) * 100)}%`;
}

function toMebibytes(usage: ProcessUsage | null): string {
  return usage === null ? '–' : `${Math.round(usage.memoryBytes / 1024 ** 2)}M`;
}
