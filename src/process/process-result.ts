import type {
  EndReason,
  KillReceipt,
  LimitName,
  Requester,
  TreeMember,
} from '../../machines/process/context.ts';
import type { TroupeError } from '../config/troupe-error.ts';
import type { FinalView, ProcessView } from './process-view.ts';

/**
 * Result for a caller that waited, by `type`. Only an `EndedResult` has `exitCode`, `signal` and the whole output, so that a process that
 * still runs cannot be taken for one that has ended. Each type except `completed` has a `message`, a sentence for people. All but the `error`
 * of a refusal is plain data that can be serialized.
 *
 * @example
 * const result = await supervisor.execute({ command: ['npm', 'test'] });
 * if (result.type === 'completed') console.log(result.stdout);
 * else if ('exitCode' in result) console.error(result.message, result.output); // failed, killed, timed out or lost
 * else console.error(result.message); // still running, or never started
 */
export type ProcessResult = StartedResult | RefusedResult;

/** Result of a process that exists, which `handle.result()` returns. */
export type StartedResult = EndedResult | BackgroundedResult | QueuedResult | SurvivedResult;

/** Result of a process that has ended: one type for each final status. */
export type EndedResult = CompletedResult | FailedResult | KilledResult | TimedOutResult | LostResult;

/** The command exited with 0. */
export interface CompletedResult extends EndFacts {
  readonly type: 'completed';
  readonly exitCode: 0;
  readonly signal: null;
  /** JSON object that a process of kind `agent` printed; `null` where it printed none, and for other kinds. */
  readonly answer: AgentAnswer | null;
}

/** The command exited with another code, was ended by a signal from outside or a resource limit, or could not be started; after the last restart. */
export interface FailedResult extends EndFacts {
  readonly type: 'failed';
  readonly reason: Extract<
    EndReason,
    { readonly type: 'exited' | 'signalled' | 'spawnFailed' | 'outOfMemory' | 'fileTooLarge' }
  >;
  readonly message: string;
}

/** The process was killed by a call, an abort or a shutdown, or cancelled before it started. */
export interface KilledResult extends EndFacts {
  readonly type: 'killed';
  readonly by: Requester;
  /** Proof of the kill; `null` where the process was not running. */
  readonly receipt: KillReceipt | null;
  readonly message: string;
}

/** A limit ended the process, or cancelled it in the queue. */
export interface TimedOutResult extends EndFacts {
  readonly type: 'timed_out';
  readonly limit: LimitName;
  /** The limit, in milliseconds. */
  readonly afterMs: number;
  readonly message: string;
}

/** The end of the process cannot be known; it may have done its work. */
export interface LostResult extends EndFacts {
  readonly type: 'lost';
  /** A clause. */
  readonly why: string;
  readonly message: string;
}

/** The process continues in the background. */
export interface BackgroundedResult extends LiveFacts {
  readonly type: 'backgrounded';
  /** The output until the wait ended. */
  readonly outputSoFar: PrintedText;
}

/** The process waits for a slot and has not started; it starts in the background when one is free. */
export interface QueuedResult extends LiveFacts {
  readonly type: 'queued';
}

/** The process was stopped, and something of it is still alive although SIGKILL was sent. */
export interface SurvivedResult extends LiveFacts {
  readonly type: 'survived';
  readonly survivors: readonly TreeMember[];
  /** The output until the wait ended. */
  readonly outputSoFar: PrintedText;
}

/** The start was refused; nothing was started. */
export interface RefusedResult {
  readonly type: 'refused';
  /** The error that `start` throws. */
  readonly error: TroupeError;
  readonly message: string;
}

/** Facts of every process that has ended. */
export interface EndFacts extends PrintedText {
  /** `null` after a signal, and where the exit is unknown or nothing was started. */
  readonly exitCode: number | null;
  /** `null` unless a signal ended the command. */
  readonly signal: string | null;
  /** Processes that the command left running. */
  readonly leftovers: readonly Leftover[];
  /** Processes that it may have left running, see `FinalFacts.suspects`. */
  readonly suspects: readonly Leftover[];
  /** The process as it ended. */
  readonly process: FinalView;
}

/** Facts of every process that has not ended. */
export interface LiveFacts {
  /** The process when the wait ended. `supervisor.get(process.id)` returns its handle, to wait on or to end it. */
  readonly process: ProcessView;
  readonly message: string;
}

/** A process that outlived the natural end of its command. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
  /** TCP ports on which it listens, in ascending order; empty where that is unknown. */
  readonly ports: readonly number[];
}

/** Output of a process. Each text has at most `maxReplyBytes`; a longer one keeps head and tail, with a line that counts what is missing. */
export interface PrintedText {
  readonly stdout: string;
  readonly stderr: string;
  /** The output of both streams in the order of arrival, or what was drawn on a terminal. */
  readonly output: string;
  /** True if something is missing in one of these texts. */
  readonly truncated: boolean;
  /** Number of bytes missing in `output`. */
  readonly droppedBytes: number;
}

/** JSON object that a process of kind `agent` prints: its answer, or why it has none. */
export type AgentAnswer =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: unknown };
