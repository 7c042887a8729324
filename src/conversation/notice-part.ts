import type { FinalStatus } from '../../machines/process/context.ts';
import { describeEnd } from '../process/end-text.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';

/** What a notice says of one end. Nothing in it is looked up later: the process may be forgotten by then. */
export interface EndedPart {
  readonly type: 'ended';
  readonly id: string;
  readonly label: string | null;
  readonly status: FinalStatus;
  readonly code: number | null;
  readonly signal: string | null;
  readonly runtimeMs: number;
  readonly command: string;
  /** The end of a sentence: "exited with code 3". */
  readonly end: string;
  /** Process ids of what outlived its leader. */
  readonly leftovers: readonly number[];
  /** TCP ports on which those listen. */
  readonly ports: readonly number[];
  readonly logFile: string | null;
  readonly outputBytes: number;
  /** What the agent has not read of it. */
  readonly unreadBytes: number;
  /** The end of what it printed. */
  readonly tail: string;
  /** What a child agent answered. */
  readonly answer: string | null;
}

/** One thing that a notice tells. */
export type NoticePart =
  | EndedPart
  /** It says nothing for long, or runs for long. */
  | {
      readonly type: 'silent' | 'elapsed';
      readonly id: string;
      readonly label: string | null;
      readonly runtimeMs: number;
      readonly outputBytes: number;
      readonly command: string;
    }
  /** Somebody else's news: a watch, a schedule, another agent. */
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
  return {
    type: 'ended',
    id: view.id,
    label: view.label,
    status: view.status,
    code: view.exit?.code ?? null,
    signal: view.exit?.signal ?? null,
    runtimeMs: view.runtimeMs,
    command: view.commandLine,
    end: describeEnd(view.reason, view.exit),
    leftovers: view.leftovers.map(({ pid }) => pid),
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
  };
}
