import { watch } from 'node:fs';
import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ProcessEntry, ProcessTable } from '../tree/process-table.ts';
import { findLeader } from './find-leader.ts';
import type { KnownLaunch, LaunchStatus, RecordedExit } from './status-file.ts';

/** What a status file tells, in the order in which it is called; after the last three nothing more is. */
export interface StatusListener {
  /** Somebody leads, in a group of his own; `entry` is `null` where he has ended already. */
  onStarted(leader: { pid: number; entry: ProcessEntry | null; status: LaunchStatus }): Promise<void>;
  onExit(exit: RecordedExit): void;
  /** The leader has ended, and nobody is left to write down how; an exit that `status` has is the launcher's, which died before it. */
  onLost(status: LaunchStatus): void;
  /** Nobody leads, and nobody is left who could start it. */
  onNeverStarted(status: LaunchStatus): void;
}

export interface StatusWatch {
  /** Looks now. Never rejects. */
  look(): void;
  /** Ends it, but not before it is known who leads: whoever is to be ended must be known. Until then it keeps nothing alive. */
  readonly cancel: Cancel;
}

/**
 * Follows one attempt by what its launcher writes down. `mayStillWrite` is asked before the file is read, so that what somebody
 * wrote who is gone by then is in it.
 */
export function followStatus(options: {
  /** `known`: what was told as begun, which stays true whatever becomes of the file. */
  read(known: KnownLaunch | null): LaunchStatus;
  mayStillWrite(status: LaunchStatus): Promise<boolean>;
  /** Until the next look, unless somebody asks for one; `null`: only then. */
  pauseMs(status: LaunchStatus): number | null;
  /** The leader stays in the group of its launcher. */
  sharesGroup?: true;
  table: ProcessTable;
  id: string;
  clock: Clock;
  listener: StatusListener;
  reportError: (error: unknown) => void;
}): StatusWatch {
  const { clock, listener } = options;
  let started: KnownLaunch | null = null;
  let isOver = false;
  let isDetached = false;
  let looking = false;
  let lookAgain = false;
  let cancelTimer: Cancel = () => {};
  let last: LaunchStatus | null = null;
  /** Since when there is an exit although the leader lives. */
  let earlyExitAtMs: number | null = null;

  async function pass(): Promise<void> {
    if (isOver) return;
    lookAgain = looking;
    if (looking) return;
    looking = true;
    cancelTimer();
    try {
      await step();
    } catch (error) {
      options.reportError(error);
    }
    looking = false;
    if (isOver) return;
    if (lookAgain) return pass();
    const pauseMs = last === null ? retryMs : isDying() ? dyingLookMs : options.pauseMs(last);
    if (pauseMs !== null)
      cancelTimer = clock.at(clock.nowMs() + pauseMs, () => void pass(), { idle: isDetached });
  }

  async function step(): Promise<void> {
    last ??= options.read(started);
    const isOpen = await options.mayStillWrite(last);
    const status = options.read(started);
    last = status;
    const { leader, exit } = status;
    if (isOver) return;
    if (leader === null) return isOpen ? undefined : end(() => listener.onNeverStarted(status));
    const entry = await findLeader(status, options);
    // It wrote down its number before it made its group: a signal in between would reach the launcher's.
    const isInGroup = options.sharesGroup === true || entry?.pgid === leader.pid;
    if (started === null && exit === null && entry !== null && !isInGroup) return;
    if (started === null) {
      started = toKnown(leader, { entry, status });
      await listener.onStarted({ pid: leader.pid, entry, status });
      isOver ||= isDetached;
    }
    if (isOver) return;
    if (exit !== null && entry !== null) {
      earlyExitAtMs ??= clock.nowMs();
      return;
    }
    if (exit !== null && (earlyExitAtMs === null || isDying())) return end(() => listener.onExit(exit));
    if (!isOpen && entry === null) end(() => listener.onLost(status));
  }

  /** It was killed together with its launcher: then that one's end is its own. */
  function isDying(): boolean {
    return earlyExitAtMs !== null && clock.nowMs() - earlyExitAtMs < dyingMs;
  }

  function end(tell: () => void): void {
    isOver = true;
    tell();
  }

  return {
    look: () => void pass(),
    cancel: () => {
      isDetached = true;
      isOver ||= started !== null;
      if (isOver) cancelTimer();
    },
  };
}

function toKnown(
  { pid, startedAt }: KnownLaunch['leader'],
  { entry, status }: { entry: ProcessEntry | null; status: LaunchStatus },
): KnownLaunch {
  return { launcher: status.launcher, leader: { pid, startedAt: entry?.startedAt ?? startedAt } };
}

/** Longer than the system takes to end somebody who was killed. */
const dyingMs = 1_000;
const dyingLookMs = 50;
/** The file could not be read: too many open files, perhaps. */
const retryMs = 200;

/** Calls back whenever the file changes. Where that cannot be watched, looking from time to time must do. Keeps nothing alive. */
export function watchChanges(path: string, onChange: () => void): Cancel {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}
