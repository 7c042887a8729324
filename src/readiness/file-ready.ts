import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { poll } from './poll.ts';
import { findStart } from './process-start.ts';
import type { ReadinessCondition } from './readiness-condition.ts';

/** Both the time of a file and the start of a process are kept in steps of up to 10 ms. */
const toleranceMs = 20;

/**
 * Holds when the file is there and is of this run: changed since the first look, or created, written or moved there
 * since the process began. One that an earlier run left behind does not count.
 */
export function fileReady(
  file: string,
  options: { clock: Clock; cwd: string; treePids: () => Promise<readonly number[]> },
): ReadinessCondition {
  const { clock, cwd, treePids } = options;
  const path = resolve(cwd, file);
  let isStale = false;

  return {
    describe: () => (isStale ? `${path} to be written anew: it is of an earlier run` : `${path} to appear`),
    watch: ({ onHolds }) => {
      // Before anything else, so that every later change shows.
      const before = look(path);
      const watchedAt = clock.epochMs();
      let startedAt: number | null = null;

      return poll(clock, async () => {
        const now = look(path);
        if (now === null) return;
        if (toPrint(now) !== toPrint(before)) return onHolds();
        startedAt ??= Math.min(watchedAt, (await findStart(treePids, clock)) ?? watchedAt);
        isStale = Number(now.ctimeMs) < startedAt - toleranceMs;
        if (!isStale) onHolds();
      });
    },
  };
}

function look(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Differs after every change, also after one that puts the time of writing back. */
function toPrint(stats: BigIntStats | null): string | null {
  return stats === null ? null : `${stats.dev}:${stats.ino}:${stats.ctimeNs}:${stats.mtimeNs}:${stats.size}`;
}
