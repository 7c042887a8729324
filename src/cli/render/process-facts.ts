import type { TreeMember } from '../../../machines/process/context.ts';
import { formatDuration } from '../../config/format-duration.ts';
import { quoteForShell } from '../../process/command.ts';
import { describeEnd } from '../../process/describe-end.ts';
import { describeFinalUsage, describeLimits, describeUsage } from '../../process/describe-usage.ts';
import {
  describeUnstarted,
  type ProcessView,
  type ProgressView,
  toPausedAt,
} from '../../process/process-view.ts';
import type { TimelineEntry, TimelineEvent } from '../../process/timeline.ts';
import type { ProcessUsage } from '../../spawn/tree/tree-usage.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import {
  describeAwaitedInput,
  statusStyle,
  toMemberLine,
  toProcessName,
  toProgressText,
} from './process-text.ts';
import { pad, wrap } from './wrap.ts';

type Fact = readonly [name: string, value: string];

const INDENT = '  ';
const NAME_WIDTH = 11;

export interface ProcessFacts {
  readonly view: ProcessView;
  readonly timeline: readonly TimelineEntry[];
  /** Supervisor of the process, and whether it answered. */
  readonly supervisorId?: string;
  readonly answered?: boolean;
  /** Current usage of a live process; `null` if it was not measured. */
  readonly usage?: ProcessUsage | null;
}

/** Renders everything known about a process, including its timeline. */
export function renderProcessFacts({ view, timeline, ...seen }: ProcessFacts, page: Page): string[] {
  const facts = [...toFacts(view, { ...seen, page }), ...toSupervisorFacts(view, seen)].flatMap(
    ([name, value]) => {
      const [first = '', ...more] = toRows(value, page);
      const styled = name === 'status' ? page.paint(statusStyle[view.status], first) : first;
      return [toRow({ name, text: styled }, page), ...more.map((text) => toRow({ name: '', text }, page))];
    },
  );
  return [
    INDENT + page.paint('bold', toProcessName(view)),
    ...facts,
    ...timeline.flatMap((entry) => toEntry({ entry, startAt: view.createdAt }, page)),
  ];
}

function toRow({ name, text }: { readonly name: string; readonly text: string }, { paint }: Page): string {
  const head = pad(name, NAME_WIDTH);
  return `${INDENT}${name === '' ? head : paint('dim', head)}${text}`;
}

function toRows(value: string, page: Page): string[] {
  const width = page.width - INDENT.length - NAME_WIDTH;
  return toPrintable(value)
    .split('\n')
    .flatMap((line) => wrap(line, width));
}

function toFacts(
  view: ProcessView,
  { page, usage = null }: Pick<ProcessFacts, 'usage'> & { readonly page: Page },
): readonly Fact[] {
  return [
    ['status', toStatusText(view)],
    ...('reason' in view && view.reason !== null ? [['end', toEndText(view)] as const] : []),
    ['command', view.commandLine],
    ...(view.host == null ? [] : [['host', `${view.host}; directory and pid are of its worker`] as const]),
    ['directory', view.cwd],
    ...(view.awaitsInput === null
      ? []
      : [
          [
            'input',
            `${describeAwaitedInput(view.awaitsInput)}, since ${toTimeText(view.awaitsInput.since)}`,
          ] as const,
        ]),
    ...(view.progress === null ? [] : [['progress', toProgressFact(view.progress)] as const]),
    ...toTerminalFacts(view),
    ...('pid' in view && view.pid !== null ? [['pid', toPidText(view)] as const] : []),
    ...('held' in view && view.held !== null ? [['held by', heldByWords[view.held]] as const] : []),
    ['created', toTimeText(view.createdAt)],
    ...('runtimeMs' in view ? [['runtime', formatDuration(view.runtimeMs)] as const] : []),
    ...toUsageFacts(view, usage),
    ...(view.resourceLimits == null ? [] : [['limits', describeLimits(view.resourceLimits)] as const]),
    ...('endsAt' in view && view.endsAt !== null
      ? [['ends', `by ${toTimeText(view.endsAt)} at the latest, by its time limit`] as const]
      : []),
    ...('restarts' in view && view.restarts > 0
      ? [['restarts', `${view.restarts}; this is attempt ${view.attempt}`] as const]
      : []),
    ['kind', view.tool === null ? view.kind : `${view.kind}; started by ${view.tool}`],
    ['mode', `${view.mode}; ${view.executionMode}`],
    ['owner', `${view.owner}; lifetime ${view.lifetime}`],
    ...('ready' in view && view.ready.state !== 'undeclared' ? [['ready', toReadyText(view)] as const] : []),
    ...toOutputFacts(view),
    ...('survivors' in view ? toMembers('survivors', { members: view.survivors, page }) : []),
    ...('because' in view && view.because != null ? [['alive', view.because] as const] : []),
    ...('leftovers' in view ? toMembers('leftovers', { members: view.leftovers, page }) : []),
    ...('suspects' in view ? toMembers('suspects', { members: view.suspects, page }) : []),
    ...('receipt' in view && view.receipt !== null
      ? toMembers('survivors', { members: view.receipt.survivors, page })
      : []),
    ...('receipt' in view && view.receipt !== null
      ? toMembers('also ended', { members: view.receipt.leftoversEnded, page })
      : []),
    ...Object.entries(view.metadata).map(
      ([name, value]): Fact => ['metadata', `${name}: ${toValueText(value)}`],
    ),
  ];
}

function toProgressFact(progress: ProgressView): string {
  const { percent, text } = progress;
  return percent === null || text === null
    ? toProgressText(progress)
    : `${toProgressText(progress)} (${text})`;
}

function toTerminalFacts({ terminal, ...view }: ProcessView): readonly Fact[] {
  if (terminal === null) return [];
  if (terminal.type === 'none') return [['terminal', terminal.because]];
  const { columns, rows, because, attach } = terminal;
  return [
    ['terminal', `${columns}x${rows}; ${because}`],
    ...('endedAt' in view || attach === null
      ? []
      : [['attach', attach.map(quoteForShell).join(' ')] as const]),
  ];
}

function toSupervisorFacts(
  view: ProcessView,
  { supervisorId, answered = true }: Pick<ProcessFacts, 'supervisorId' | 'answered'>,
): readonly Fact[] {
  if (supervisorId === undefined) return [];
  const isDoubtful = !answered && !('endedAt' in view);
  return [
    [
      'supervisor',
      isDoubtful ? `${supervisorId}, which does not answer: state as last recorded` : supervisorId,
    ],
  ];
}

function toUsageFacts(view: ProcessView, usage: ProcessUsage | null): readonly Fact[] {
  const text = usage === null ? describeFinalUsage(view) : describeUsage(usage);
  return text === '' ? [] : [[usage === null ? 'used' : 'uses', text]];
}

function toStatusText(view: ProcessView): string {
  const word = view.status.replace('_', ' ');
  if (view.status === 'pending' && view.queued) return `${word}: queued for a free slot`;
  if (view.status === 'pending' && view.host != null) return `${word}: ${describeUnstarted(view.host)}`;
  const pausedAt = toPausedAt(view);
  if (pausedAt !== null) return `${word}: paused since ${toTimeText(pausedAt)}`;
  if (view.status === 'restarting') return `${word}: next start at ${toTimeText(view.nextStartAt)}`;
  return word;
}

function toEndText(view: Extract<ProcessView, { reason: unknown }>): string {
  const end = `it ${describeEnd(view.reason, 'exit' in view ? view.exit : null)}`;
  return 'endedAt' in view ? `${end}, at ${toTimeText(view.endedAt)}` : end;
}

const heldByWords = {
  cgroup: 'its cgroup',
  lineage: 'its lineage, which a descendant can leave',
} as const;

function toPidText(view: Extract<ProcessView, { pid: number | null }>): string {
  return 'pgid' in view && view.pgid !== null && view.pgid !== view.pid
    ? `${view.pid}, in group ${view.pgid}`
    : String(view.pid);
}

function toReadyText({ ready }: Extract<ProcessView, { ready: unknown }>): string {
  if (ready.state === 'failed') return `no: ${ready.why}`;
  return ready.state === 'ready' ? `yes, after ${formatDuration(ready.afterMs)}` : ready.state;
}

function toOutputFacts({ output, mode }: ProcessView): readonly Fact[] {
  const { bytes, lines, droppedBytes, lastOutputAt, logFile, degraded } = output;
  const counted = lines === null ? '' : `, ${lines} ${lines === 1 ? 'line' : 'lines'}`;
  const place = mode === 'file' || mode === 'tmux' ? 'the log' : 'memory';
  const dropped = droppedBytes === 0 ? '' : `; ${droppedBytes} of them dropped from ${place}`;
  return [
    ['output', `${bytes} bytes${counted}${dropped}${degraded === null ? '' : `; ${degraded}`}`],
    ...(lastOutputAt === null ? [] : [['last', `output at ${toTimeText(lastOutputAt)}`] as const]),
    ...(logFile === null ? [] : [['log', logFile] as const]),
  ];
}

function toMembers(name: string, { members, page }: { members: readonly TreeMember[]; page: Page }) {
  const width = page.width - INDENT.length - NAME_WIDTH;
  const lines = members.map((member) => toMemberLine(member, { head: '', page: { width } }));
  return members.length === 0 ? [] : [[name, lines.join('\n')] as const];
}

function toValueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

/** Returns a time in the local zone: `2026-03-01 12:00:05`. */
function toTimeText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  // Outside the range of dates.
  if (Number.isNaN(local.getTime())) return String(at);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns an event type in plain words: `process.secretWritten` → `secret written`. */
function toEventText(type: TimelineEvent): string {
  if (type === 'process.unready') return 'not ready';
  const words = type.replace(/^process\./, '').replace('.', ' ');
  return words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function toEntry(
  { entry, startAt }: { readonly entry: TimelineEntry; readonly startAt: number },
  page: Page,
): string[] {
  const at = `+${formatDuration(Math.max(0, entry.at - startAt))}`;
  const by = entry.by === undefined ? '' : ` by the ${entry.by}`;
  const detail = entry.detail === undefined ? '' : `: ${entry.detail}`;
  const [first = '', ...more] = toRows(`${toEventText(entry.type)}${by}${detail}`, page);
  return [toRow({ name: at, text: first }, page), ...more.map((text) => toRow({ name: '', text }, page))];
}
