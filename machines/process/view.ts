import type { SnapshotFrom } from 'xstate';
import {
  type EndReason,
  type ExitStatus,
  type FinalStatus,
  type HeldBy,
  type KillReceipt,
  type ProcessEnd,
  type TreeMember,
  toProcessEnd,
} from './context.ts';
import { type EndLimit, toEndLimit } from './end-limit.ts';
import type { processMachine } from './machine.ts';

export type LiveStatus = 'pending' | 'running' | 'backgrounded' | 'stopping' | 'restarting';

/** The ten states of a process, and the only words for them. */
export type ProcessStatus = LiveStatus | FinalStatus;

export const finalStatuses: readonly FinalStatus[] = ['completed', 'failed', 'killed', 'timed_out', 'lost'];

/** View of a process as far as its chart knows it: one variant for each kind of state with its own facts. */
export type LifeView =
  | {
      readonly status: 'pending';
      readonly attempt: number;
      readonly starting: boolean;
      readonly isAwaited: boolean;
    }
  | ({ readonly status: 'running' | 'backgrounded'; readonly endLimit: EndLimit | null } & Up)
  | ({
      readonly status: 'stopping';
      readonly survivors: readonly TreeMember[];
      /** Set once a member was found to survive; the final one comes with the end. */
      readonly receipt: KillReceipt | null;
    } & Up)
  | {
      readonly status: 'restarting';
      readonly attempt: number;
      readonly restarts: number;
      /** Monotonic time; see `Clock`. */
      readonly nextStartAtMs: number;
      readonly reason: EndReason;
      readonly isAwaited: boolean;
    }
  | ({
      readonly status: FinalStatus;
      readonly attempt: number;
      readonly restarts: number;
      readonly pid: number | null;
      /** True if all pipes came to their end; otherwise a process may still write. */
      readonly outputEnded: boolean;
    } & ProcessEnd);

interface Up {
  readonly attempt: number;
  readonly restarts: number;
  readonly pid: number | null;
  readonly pgid: number | null;
  readonly held: HeldBy | null;
  /** Set between the leader's exit and the end. */
  readonly exit: ExitStatus | null;
  /** True while all members of the tree are halted. */
  readonly isPaused: boolean;
}

type ProcessSnapshot = Pick<SnapshotFrom<typeof processMachine>, 'value' | 'context'>;

/** Returns the name of the outermost state, which is the status. A process with leftovers has the status of its end. */
export function toStatus({ value, context }: ProcessSnapshot): ProcessStatus {
  const name = typeof value === 'string' ? value : Object.keys(value)[0];
  return (name === 'leftover' ? context.endStatus : name) as ProcessStatus;
}

export function isFinal(status: ProcessStatus): status is FinalStatus {
  return (finalStatuses as readonly string[]).includes(status);
}

export function toLifeView(snapshot: ProcessSnapshot): LifeView {
  const status = toStatus(snapshot);
  const { attempt, pid, pgid, held, exit, survivors, receipt, restartTimesMs, outputEnded } =
    snapshot.context;
  const restarts = restartTimesMs.length;
  const isAwaited = !snapshot.context.background;
  const isPaused = snapshot.context.pause === 'proven';
  switch (status) {
    case 'pending':
      return {
        status,
        attempt,
        starting: JSON.stringify(snapshot.value) !== '{"pending":"queued"}',
        isAwaited,
      };
    case 'running':
    case 'backgrounded':
      return {
        ...{ status, attempt, restarts, pid, pgid, held, exit, isPaused },
        endLimit: toEndLimit(snapshot.context),
      };
    case 'stopping':
      return { status, attempt, restarts, pid, pgid, held, exit, isPaused, survivors, receipt };
    case 'restarting':
      return {
        status,
        attempt,
        restarts,
        nextStartAtMs: snapshot.context.nextStartAtMs ?? 0,
        reason: toProcessEnd(snapshot.context).reason,
        isAwaited,
      };
    default:
      return { status, attempt, restarts, pid, outputEnded, ...toProcessEnd(snapshot.context) };
  }
}
