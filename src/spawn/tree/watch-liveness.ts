import type { TreeMember } from '../../../machines/process/context.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';

/** Liveness of a tree whose end is awaited. */
interface TreeLiveness {
  /** Cheap: checks only known members. */
  isKnownMemberAlive(): Promise<boolean>;
  /** Expensive: also looks for new members. */
  isAnyMemberAlive(): Promise<boolean>;
  /** Members that the last check found alive. */
  alive(): readonly TreeMember[];
}

export interface LivenessWatch {
  /** Checks now, and again soon. */
  checkNow(): void;
  readonly cancel: Cancel;
}

const firstPauseMs = 5;
const maxPauseMs = 50;
const pauseGrowth = 1.5;

/** Interval of searches for new members while a known one lives: a full search may cost milliseconds. */
const firstRescanMs = 250;
const maxRescanMs = 2000;

/**
 * Checks at once and then at growing intervals until no member is alive, which only a full search proves, and calls `onGone`
 * once. `onAlive` is called at the first check and after each change. A failed check is repeated.
 */
export function watchLiveness(
  life: TreeLiveness,
  options: {
    clock: Clock;
    onGone: () => void;
    onAlive: (alive: readonly TreeMember[]) => void;
    reportError: (error: unknown) => void;
  },
): LivenessWatch {
  const { clock } = options;
  let pauseMs = firstPauseMs;
  let rescanMs = firstRescanMs;
  let rescanAtMs = Number.NEGATIVE_INFINITY;
  let lastReported: string | null = null;
  let looking = false;
  let lookAgain = false;
  let over = false;
  let cancelTimer: Cancel = () => {};

  function checkNow(): void {
    pauseMs = firstPauseMs;
    lookAgain = true;
    cancelTimer();
    void pass();
  }

  async function pass(): Promise<void> {
    if (looking || over) return;
    looking = true;
    lookAgain = false;
    const lives = await isAlive().catch((error: unknown) => {
      options.reportError(error);
      return true;
    });
    looking = false;
    if (over) return;
    if (!lives) {
      cancel();
      report(options.onGone);
      return;
    }
    report(reportAlive);
    if (over) return;
    if (lookAgain) return pass();
    cancelTimer = clock.at(clock.nowMs() + pauseMs, () => void pass());
    pauseMs = Math.min(pauseMs * pauseGrowth, maxPauseMs);
  }

  async function isAlive(): Promise<boolean> {
    if (clock.nowMs() < rescanAtMs && (await life.isKnownMemberAlive())) return true;
    if (!(await life.isAnyMemberAlive())) return false;
    rescanAtMs = clock.nowMs() + rescanMs;
    rescanMs = Math.min(rescanMs * 2, maxRescanMs);
    return true;
  }

  function reportAlive(): void {
    const alive = life.alive();
    const names = alive.map(({ pid, startedAt }) => `${pid}@${startedAt}`);
    const current = names.sort().join();
    if (current === lastReported) return;
    lastReported = current;
    options.onAlive(alive);
  }

  /** Calls a listener, whose error must not end the watch. */
  function report(tellListener: () => void): void {
    try {
      tellListener();
    } catch (error) {
      options.reportError(error);
    }
  }

  function cancel(): void {
    over = true;
    cancelTimer();
  }

  checkNow();
  return { checkNow: checkNow, cancel };
}
