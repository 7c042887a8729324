import { setTimeout } from 'node:timers/promises';
import type { ExitStatus } from '../../../machines/process/context.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import { toCookie } from '../environment.ts';
import { ownsPid } from '../tree/identity.ts';
import type { ProcessTable } from '../tree/process-table.ts';
import { type StarterChild, StarterEnded } from './starter-process.ts';

/** Starts a program at most once. Returns `StarterEnded` where the starter ended and has not started it. */
export async function startOnce(
  id: string,
  { table, start }: { readonly table: ProcessTable; readonly start: () => Promise<StarterChild> },
): Promise<StarterChild | Error> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof StarterEnded) return (await findStarted(id, table)) ?? error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Number of looks for a command: in the middle of `execve` it shows no environment. */
const LOOKS = 5;
const LOOK_PAUSE_MS = 20;

/** Finds the program that a starter started right before its end; `null` if it started none. */
async function findStarted(id: string, table: ProcessTable): Promise<StarterChild | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    const carriers = await table.filterCarriers(toCookie(id), await table.list());
    const pids = new Set(carriers.map(({ pid }) => pid));
    const leader = carriers.find(({ pid, sid, ppid }) => pid === sid && !pids.has(ppid));
    if (leader !== undefined) {
      const { pid, startedAt: startTicks } = leader;
      return { pid, startTicks, exited: Promise.resolve(null), unref: () => {} };
    }
    await setTimeout(LOOK_PAUSE_MS);
  }
  return null;
}

/** Reason of a loss where a child outlived the starter. */
export const unknownExit = 'its exit is unknown: the starter process that would have reported it ended first';

/** Interval between checks of a child whose exit no program reports. */
const LIVENESS_MS = 50;

/**
 * Follows a child of the starter to its end. `onExit` is called once, with `null` where the starter ended first: the child is then dead
 * and its exit unknown.
 */
export function followChild(
  { pid, startTicks: startedAt, exited }: StarterChild,
  {
    table,
    clock,
    reportError,
    onExit,
  }: {
    readonly table: ProcessTable;
    readonly clock: Clock;
    readonly reportError: (error: unknown) => void;
    readonly onExit: (exit: ExitStatus | null) => void;
  },
): Cancel {
  let isCancelled = false;
  let cancelPause: Cancel = () => {};

  async function follow(): Promise<void> {
    const exit = await exited;
    if (exit === null) await waitUntilDead();
    if (!isCancelled) onExit(exit);
  }

  async function waitUntilDead(): Promise<void> {
    while (!isCancelled) {
      const entry = await table.read(pid);
      if (entry?.alive !== true || !ownsPid({ pid, startedAt }, entry)) return;
      await new Promise<void>((resolve) => {
        cancelPause = clock.at(clock.nowMs() + LIVENESS_MS, resolve);
      });
    }
  }

  follow().catch(reportError);
  return () => {
    isCancelled = true;
    cancelPause();
  };
}
