import type { ProcessContext, RestartSettings } from './context.ts';

/** Restarts so far, on the same clock as `atMs`. */
type Past = Pick<ProcessContext, 'restart' | 'restartTimesMs'>;

/** Tells whether the restart policy asks for another attempt. */
export function isRestartWanted(context: Pick<ProcessContext, 'restart' | 'exit'>): boolean {
  if (context.restart.policy === 'temporary') return false;
  return context.restart.policy === 'permanent' || context.exit?.code !== 0;
}

/** Tells whether an exit completes the process. With the policy `permanent`, every exit is a failure. */
export function isCleanExit({ restart, exit }: Pick<ProcessContext, 'restart' | 'exit'>): boolean {
  return exit?.code === 0 && restart.policy !== 'permanent';
}

/** Tells whether another restart would exceed `maxRestarts` within `withinMs`. */
export function hasRestartedTooOften(context: Past, atMs: number): boolean {
  return recentRestarts(context, atMs).length >= context.restart.maxRestarts;
}

/** Returns the restarts that still count at `atMs`, oldest first. */
export function recentRestarts(context: Past, atMs: number): readonly number[] {
  return context.restartTimesMs.filter((timeMs) => atMs - timeMs < context.restart.withinMs);
}

/**
 * Returns the pause before restart number `count` (from 0): doubled each time up to the maximum, less up to a quarter by `chance`
 * (0 to 1), so that processes that failed together do not restart together.
 */
export function backoffMs(settings: RestartSettings, count: number, chance: number): number {
  const fullMs = Math.min(settings.maxBackoffMs, settings.minBackoffMs * 2 ** count);
  return Math.round(fullMs * (1 - chance / 4));
}

/** Returns the next number of a linear congruential generator (Numerical Recipes): pure randomness. */
export function nextSeed(seed: number): number {
  return (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
}

/** Returns a seed as a number from 0 to 1. */
export function toChance(seed: number): number {
  return seed / 2 ** 32;
}
