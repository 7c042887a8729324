import type { Clock } from '../clock/clock.ts';
import { formatDuration } from '../config/duration.ts';
import type { ReadinessCondition } from './readiness-condition.ts';

/** Holds after `aliveMs`. The caller cancels it if the process ends. */
export function aliveReady(aliveMs: number, clock: Clock): ReadinessCondition {
  return {
    describe: () => `${formatDuration(aliveMs)} of life`,
    watch: ({ onHolds }) => clock.at(clock.nowMs() + aliveMs, onHolds),
  };
}
