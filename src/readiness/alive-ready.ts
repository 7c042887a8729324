import type { Clock } from '../clock/clock.ts';
import { formatDuration } from '../config/duration.ts';
import type { ReadinessCondition } from './readiness-condition.ts';

/** Holds when so much time has passed; that the process lives on is the caller's to see. */
export function aliveReady(aliveMs: number, clock: Clock): ReadinessCondition {
  return {
    describe: () => `${formatDuration(aliveMs)} of life`,
    watch: ({ onHolds }) => clock.at(clock.nowMs() + aliveMs, onHolds),
  };
}
