import type { FinalStatus } from '../../machines/process/context.ts';
import { describeEnd } from '../process/describe-end.ts';
import { describeFinalUsage } from '../process/describe-usage.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { ScheduleNews } from '../schedules/schedule.ts';
import type { WatchNews } from '../watches/watch.ts';
import { lastLines } from './last-lines.ts';
import { type RunningState, toRunningState } from './running-state.ts';

/** The end of a process, complete: the process may be forgotten when the notice is made. */
export interface EndedPart {
  readonly type: 'ended';
  readonly id: string;
  readonly label: string | null;
  readonly status: FinalStatus;
  readonly code: number | null;
  readonly signal: string | null;
  readonly runtimeMs: number;
  /** Resource usage, such as "1.2s of CPU time, memory 30.0 MiB at most". Missing if unknown and in older journals. */
  readonly used?: string | undefined;
  readonly command: string;
  /** The end of a sentence, such as "exited with code 3". */
  readonly end: string;
  /** Process ids of leftovers. */
  readonly leftovers: readonly number[];
  /** Process ids of suspects, see `FinalFacts.suspects`. Missing in older journals. */
  readonly suspects?: readonly number[] | undefined;
  /** TCP ports on which these listen. */
  readonly ports: readonly number[];
  readonly logFile: string | null;
  readonly outputBytes: number;
  /** The part of the output that the agent has not read. */
  readonly unreadBytes: number;
  /** The end of the output. */
  readonly tail: string;
  /** The answer of a child agent. */
  readonly answer: string | null;
}

/** The notification of a watch. */
export type WatchPart = {
  readonly id: string;
  readonly label: string | null;
  readonly command: string;
} & (
  | {
      readonly type: 'quiet';
      readonly quietMs: number;
      /** The lines are a screen; else the end of the output. */
      readonly isScreen: boolean;
      readonly lines: readonly string[];
    }
  | {
      readonly type: 'matched';
      readonly pattern: string;
      readonly matches: number;
      /** The newest ones. */
      readonly lines: readonly string[];
    }
  | { readonly type: 'unwatched'; readonly why: string }
);

/** The reminder of a schedule, in the words of the agent or person that made it. */
export interface DuePart {
  readonly type: 'due';
  readonly scheduleId: string;
  readonly message: string;
  readonly everyMs: number | null;
  readonly processId: string | null;
  readonly missed: number;
}

/** Element of a notice. */
export type NoticePart =
  | EndedPart
  /** The process is silent, or has run for long. */
  | {
      readonly type: 'silent' | 'elapsed';
      readonly id: string;
      readonly label: string | null;
      readonly runtimeMs: number;
      readonly outputBytes: number;
      readonly command: string;
      /** Missing in older journals. */
      readonly state?: RunningState;
    }
  | WatchPart
  | DuePart
  /** A notification of the host program. */
  | { readonly type: 'told'; readonly source: string; readonly text: string };

export function toEndedPart(
  view: FinalView,
  seen: {
    readonly tail: string;
    readonly unreadBytes: number;
    readonly ports: readonly number[];
    readonly answer: string | null;
  },
): EndedPart {
  const used = describeFinalUsage(view);
  return {
    type: 'ended',
    id: view.id,
    label: view.label,
    status: view.status,
    code: view.exit?.code ?? null,
    signal: view.exit?.signal ?? null,
    runtimeMs: view.runtimeMs,
    ...(used !== '' && { used }),
    command: view.commandLine,
    end: describeEnd(view.reason, view.exit),
    leftovers: view.leftovers.map(({ pid }) => pid),
    ...(view.suspects.length > 0 && { suspects: view.suspects.map(({ pid }) => pid) }),
    logFile: view.output.logFile,
    outputBytes: view.output.bytes,
    ...seen,
  };
}

export function toRunningPart(type: 'silent' | 'elapsed', view: ProcessView): NoticePart {
  return {
    type,
    id: view.id,
    label: view.label,
    runtimeMs: 'runtimeMs' in view ? view.runtimeMs : 0,
    outputBytes: view.output.bytes,
    command: view.commandLine,
    state: toRunningState(view),
  };
}

/** The bytes kept of a screen: a notice shows its end only. */
const MAX_LINES_BYTES = 4_000;

export function toWatchPart(news: WatchNews): WatchPart {
  const { id, label, commandLine: command, terminal } = news.process;
  const process = { id, label, command };
  if (news.type === 'watch.failed') return { type: 'unwatched', ...process, why: news.why };
  const text = lastLines(news.lines.join('\n'), MAX_LINES_BYTES);
  const lines = text === '' ? [] : text.split('\n');
  if (news.type === 'watch.matched')
    return { type: 'matched', ...process, pattern: news.pattern, matches: news.matches, lines };
  const isScreen = terminal?.type === 'terminal';
  return { type: 'quiet', ...process, quietMs: news.quietMs, isScreen, lines };
}

export function toDuePart({ schedule, missed }: ScheduleNews): DuePart {
  const { id: scheduleId, message, everyMs, processId } = schedule;
  return { type: 'due', scheduleId, message, everyMs, processId, missed };
}
