import type { Clock } from '../clock/clock.ts';
import { ticksPerSecond } from '../spawn/tree/pid-allocation.ts';
import { readProcText, readStatLine } from '../spawn/tree/proc-entry.ts';

/**
 * Returns the start time of the oldest process of a tree in milliseconds since the epoch, exact to 20 ms. `null` if it is unknown: on
 * macOS, and without a process.
 */
export async function findStart(
  treePids: () => Promise<readonly number[]>,
  clock: Clock,
): Promise<number | null> {
  const pids = await treePids();
  const bootedAt = findBoot(clock);
  const starts = pids.flatMap((pid) => {
    const line = readStatLine(pid);
    return line === null ? [] : (Number(line.startTicks) / ticksPerSecond) * 1000;
  });
  return starts.length === 0 || bootedAt === null ? null : bootedAt + Math.min(...starts);
}

/** Maximum time between two readings of a clock for a reading in between to count as simultaneous. */
const atOnceMs = 5;
const attempts = 10;

/** Computes the boot time from two clocks, which are read again if there was a pause between the readings. */
function findBoot(clock: Clock): number | null {
  for (let attempt = 1; ; attempt += 1) {
    const beforeAt = clock.epochMs();
    const uptime = Number.parseFloat(readProcText('/proc/uptime') ?? '');
    if (Number.isNaN(uptime)) return null;
    if (clock.epochMs() - beforeAt < atOnceMs || attempt === attempts) return beforeAt - uptime * 1000;
  }
}
