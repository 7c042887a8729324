import { formatDuration } from '../../config/format-duration.ts';
import type { ProcessView } from '../../process/process-view.ts';
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

/** A process as a table shows it. */
export interface ListedProcess {
  readonly view: ProcessView;
  /** Its supervisor answered; else what is shown may be out of date. */
  readonly answered: boolean;
}

/** The owner of what a person starts, which need not be told. */
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

/** Processes as a table that fits the page; under each what it belongs to, and what it left behind. */
export function renderProcessTable(processes: readonly ListedProcess[], page: Page): string[] {
  return renderTable(
    { rows: processes, columns: Object.values(processColumns), under: toDetails },
    page,
  ).flat();
}

function toDetails(process: ListedProcess): readonly string[] {
  const belonging = toOriginLine(process);
  return [...(belonging === null ? [] : [belonging]), ...toLeftoverLines(process.view)];
}

/** One line for each live leftover and suspect of an ended process; beyond five, how many more there are. */
function toLeftoverLines(view: ProcessView): readonly string[] {
  if (!('endedAt' in view)) return [];
  const left = [
    ...view.leftovers.map((member) => ({ member, head: '└ still alive: ' })),
    ...view.suspects.map((member) => ({ member, head: '└ alive, perhaps its own: ' })),
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

/** Who started it, for whom, and whether that is known for certain; `null` where there is nothing to tell. */
function toOriginLine({ view, answered }: ListedProcess): string | null {
  const isLive = !('endedAt' in view);
  const parts = [
    ...(view.awaitsInput === null ? [] : [describeAwaitedInput(view.awaitsInput)]),
    ...(view.tool === null ? [] : [`by ${toVisible(view.tool)}`]),
    ...(defaultOwners.includes(view.owner) ? [] : [`of ${toVisible(view.owner)}`]),
    ...(isLive && !answered ? ['its supervisor does not answer: as last written down'] : []),
  ];
  return parts.length === 0 ? null : `└ ${parts.join(' · ')}`;
}

function toCommandText({ commandLine, label }: ProcessView): string {
  const command = toVisible(commandLine.replaceAll(/[ \t]*\n\s*/g, '\n'));
  return label === null ? command : `${toVisible(label)}: ${command}`;
}

/** What a person wants to see at once: that it waits for somebody, and how far it is. */
function toStatusCell({ status, awaitsInput, progress }: ProcessView): string {
  const parts = [
    status.replace('_', ' '),
    ...(awaitsInput === null ? [] : [toAwaitedInputMark(awaitsInput)]),
    ...(progress === null ? [] : [toProgressText(progress)]),
  ];
  return parts.join(' · ');
}
