import { formatDuration } from '../../config/format-duration.ts';
import { describeUsage } from '../../process/describe-usage.ts';
import { type ProcessView, toPausedAt } from '../../process/process-view.ts';
import type { ProcessUsage } from '../../spawn/tree/tree-usage.ts';
import type { Page } from './page.ts';
import { toVisible } from './printable.ts';
import {
  describeAwaitedInput,
  statusStyle,
  toAwaitedInputMark,
  toMemberLine,
  toProgressText,
} from './process-text.ts';
import { type Column, renderTable } from './table.ts';

/** A process in a table. */
export interface ListedProcess {
  readonly view: ProcessView;
  /** `false`: its supervisor did not answer, and the view may be out of date. */
  readonly answered: boolean;
  /** Current usage; absent if it was not measured. */
  readonly usage?: ProcessUsage | null;
}

/** Owners of processes that the user starts, which are not shown. */
const defaultOwners: readonly string[] = ['user', 'shell'];

export const processColumns = {
  id: { heading: 'ID', cell: ({ view }) => toVisible(view.id) },
  status: {
    heading: 'STATUS',
    cell: ({ view }) => toStatusCell(view),
    style: ({ view }) => statusStyle[view.status],
  },
  kind: { heading: 'KIND', cell: ({ view }) => view.kind, dropPriority: 3 },
  pid: {
    heading: 'PID',
    cell: ({ view }) => ('pid' in view && view.pid !== null ? String(view.pid) : '–'),
    dropPriority: 2,
  },
  runtime: {
    heading: 'RUNTIME',
    cell: ({ view }) => ('runtimeMs' in view ? formatDuration(view.runtimeMs) : '–'),
    dropPriority: 1,
  },
  command: { heading: 'COMMAND', cell: ({ view }) => toCommandText(view) },
} as const satisfies Record<string, Column<ListedProcess>>;

const MAX_LEFTOVERS = 5;

/** Renders processes as a table that fits the page, each with its origin and its leftovers below. */
export function renderProcessTable(processes: readonly ListedProcess[], page: Page): string[] {
  return renderTable(
    { rows: processes, columns: Object.values(processColumns), under: toDetails },
    page,
  ).flat();
}

function toDetails(process: ListedProcess): readonly string[] {
  const belonging = toOriginLine(process);
  return [
    ...(belonging === null ? [] : [belonging]),
    ...(process.usage == null ? [] : [`└ ${describeUsage(process.usage)}`]),
    ...toLeftoverLines(process.view),
  ];
}

/** Returns a line for each of up to five live leftovers and suspects of an ended process, then the number of the others. */
function toLeftoverLines(view: ProcessView): readonly string[] {
  if (!('endedAt' in view)) return [];
  const left = [
    ...view.leftovers.map((member) => ({ member, head: '└ still alive: ' })),
    ...view.suspects.map((member) => ({ member, head: '└ possibly left behind: ' })),
  ];
  const shown = left.slice(0, MAX_LEFTOVERS);
  const more = left.length - shown.length;
  return [
    ...shown.map(({ member, head }) =>
      toMemberLine(member, { head, page: { width: Number.POSITIVE_INFINITY } }),
    ),
    ...(more > 0 ? [`└ and ${more} more`] : []),
  ];
}

/** Describes awaited input, host, tool, owner, and a silent supervisor; `null` without any. */
function toOriginLine({ view, answered }: ListedProcess): string | null {
  const isLive = !('endedAt' in view);
  const parts = [
    ...(view.awaitsInput === null ? [] : [describeAwaitedInput(view.awaitsInput)]),
    ...(view.host == null ? [] : [`in ${toVisible(view.host)}`]),
    ...(view.tool === null ? [] : [`by ${toVisible(view.tool)}`]),
    ...(defaultOwners.includes(view.owner) ? [] : [`of ${toVisible(view.owner)}`]),
    ...(isLive && !answered ? ['its supervisor does not answer: state as last recorded'] : []),
  ];
  return parts.length === 0 ? null : `└ ${parts.join(' · ')}`;
}

function toCommandText({ commandLine, label }: ProcessView): string {
  const command = toVisible(commandLine.replaceAll(/[ \t]*\n\s*/g, '\n'));
  return label === null ? command : `${toVisible(label)}: ${command}`;
}

/** Returns the status with pause, awaited input and progress. */
function toStatusCell(view: ProcessView): string {
  const { status, awaitsInput, progress } = view;
  const parts = [
    status.replace('_', ' '),
    ...(toPausedAt(view) === null ? [] : ['paused']),
    ...(awaitsInput === null ? [] : [toAwaitedInputMark(awaitsInput)]),
    ...(progress === null ? [] : [toProgressText(progress)]),
  ];
  return parts.join(' · ');
}
