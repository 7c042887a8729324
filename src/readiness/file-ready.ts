import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { poll } from './poll.ts';
import { findStart } from './process-start.ts';
import type { ReadinessCondition } from './readiness-condition.ts';

/** Allowed difference of two times: those of files and process starts have steps of up to 10 ms each. */
const toleranceMs = 20;

/**
 * Holds when the file exists and is from this run: it changed since the first look, or was created, written or moved there since the
 * process began. A file of an earlier run does not count.
 */
export function fileReady(
  file: string,
  options: { clock: Clock; cwd: string; treePids: () => Promise<readonly number[]> },
): ReadinessCondition {
  const { clock, cwd, treePids } = options;
  const path = resolve(cwd, file);
  let isStale = false;

  return {
    describe: () =>
      isStale ? `${path} to be written again: it is from an earlier run` : `${path} to appear`,
    watch: ({ onHolds }) => {
      // Read first, so that every later change is noticed.
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

/** Returns a fingerprint that differs after every change, even if the modification time is reset. */
function toPrint(stats: BigIntStats | null): string | null {
  return stats === null ? null : `${stats.dev}:${stats.ino}:${stats.ctimeNs}:${stats.mtimeNs}:${stats.size}`;
}
