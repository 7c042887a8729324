import type { Clock } from '../../clock/clock.ts';
import { ticksPerSecond } from '../../spawn/tree/pid-allocation.ts';
import { readProcText, readStatLine } from '../../spawn/tree/proc-entry.ts';

/**
 * When the eldest of a tree began, in milliseconds since the epoch and exact to 20 ms. `null` where the system does not tell: on
 * macOS, and for what is no process.
 */
export async function findStart(
  treePids: () => Promise<readonly number[]>,
  clock: Clock,
): Promise<number | null> {
  const pids = await treePids();
  const uptime = Number.parseFloat(readProcText('/proc/uptime') ?? '');
  const ages = pids.flatMap((pid) => {
    const line = readStatLine(pid);
    return line === null ? [] : uptime - Number(line.startTicks) / ticksPerSecond;
  });
  return ages.length === 0 || Number.isNaN(uptime) ? null : clock.epochMs() - Math.max(...ages) * 1000;
}
