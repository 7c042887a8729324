import type { Clock } from '../clock/clock.ts';
import { ticksPerSecond } from '../spawn/tree/pid-allocation.ts';
import { readProcText, readStatLine } from '../spawn/tree/proc-entry.ts';

/**
 * When the eldest of a tree began, in milliseconds since the epoch and exact to 20 ms. `null` where the system does not tell: on
 * macOS, and for what is no process.
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

/** So long two readings of the clock may lie apart for what was read in between to be of their time. */
const atOnceMs = 5;
const attempts = 10;

/** By two clocks that are read one after the other: again where others had the machine in between. */
function findBoot(clock: Clock): number | null {
  for (let attempt = 1; ; attempt += 1) {
    const beforeAt = clock.epochMs();
    const uptime = Number.parseFloat(readProcText('/proc/uptime') ?? '');
    if (Number.isNaN(uptime)) return null;
    if (clock.epochMs() - beforeAt < atOnceMs || attempt === attempts) return beforeAt - uptime * 1000;
  }
}
