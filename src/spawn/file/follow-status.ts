import { watch } from 'node:fs';
import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ProcessEntry, ProcessTable } from '../tree/process-table.ts';
import { findLeader } from './find-leader.ts';
import type { KnownLaunch, LaunchStatus, RecordedExit } from './status-file.ts';

/** Receives what a status file says, in this order; nothing follows the last three. */
export interface StatusListener {
  /** A process leads its own group; `entry` is `null` if it has ended already. */
  onStarted(leader: { pid: number; entry: ProcessEntry | null; status: LaunchStatus }): Promise<void>;
  onExit(exit: RecordedExit): void;
  /** The leader has ended and nothing is left to record how. An exit in `status` is then that of the launcher, which died before it. */
  onLost(status: LaunchStatus): void;
  /** No process leads, and none is left that could start one. */
  onNeverStarted(status: LaunchStatus): void;
}

interface StatusWatch {
  /** Looks now. Never rejects. */
  look(): void;
  /**
   * Ends the watch, but not before the leader is known, because it must be possible to end it. Until then the watch keeps nothing
   * alive.
   */
  readonly cancel: Cancel;
}

/**
 * Follows one attempt by what its launcher records. Calls `mayStillWrite` before it reads the file, so that the last words of a
 * dead writer are read.
 */
export function followStatus(options: {
  /** Reads the status. `known`: the launch that was reported as started, which stays true whatever becomes of the file. */
  read(known: KnownLaunch | null): LaunchStatus;
  mayStillWrite(status: LaunchStatus): Promise<boolean>;
  /** Time until the next look; `null`: only on request. */
  pauseMs(status: LaunchStatus): number | null;
  /** Set if the leader stays in the group of its launcher. */
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
  /** Time since which an exit is recorded although the leader lives. */
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
    // The pid is recorded before the group is made: a signal in between would reach the launcher's group.
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

  /** True while a leader that was killed together with its launcher is dying: the recorded exit is then its own. */
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

/** Longer than the system takes to end a killed process. */
const dyingMs = 1_000;
const dyingLookMs = 50;
/** Pause after the file could not be read, for example because too many files are open. */
const retryMs = 200;

/** Calls back whenever the file changes. Where that cannot be watched, polling must do. Keeps nothing alive. */
export function watchChanges(path: string, onChange: () => void): Cancel {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}
