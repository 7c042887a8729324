import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { createUsageReader, type ReadUsage } from '../process/process-usage.ts';
import { findListeningPorts } from './listening-ports.ts';

/** Creates a meter of the processes on this machine. */
export function createMachineUsage(clock: Clock = createRealClock()): ReadUsage {
  return createUsageReader({ clock, findPorts: findListeningPorts });
}
