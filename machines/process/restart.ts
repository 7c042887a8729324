import type { ProcessContext, RestartSettings } from './context.ts';

/** The restarts so far, by the clock that `atMs` is of. */
type Past = Pick<ProcessContext, 'restart' | 'restartTimesMs'>;

/** Whether an attempt that ended like this one is to be followed by another. */
export function isRestartWanted(context: Pick<ProcessContext, 'restart' | 'exit'>): boolean {
  if (context.restart.policy === 'temporary') return false;
  return context.restart.policy === 'permanent' || context.exit?.code !== 0;
}

/** Whether so many restarts lie in the last `withinMs` that another would be one too many. */
export function hasRestartedTooOften(context: Past, atMs: number): boolean {
  return recentRestarts(context, atMs).length >= context.restart.maxRestarts;
}

/** The restarts that still count at `atMs`, oldest first. */
export function recentRestarts(context: Past, atMs: number): readonly number[] {
  return context.restartTimesMs.filter((timeMs) => atMs - timeMs < context.restart.withinMs);
}

/**
 * The pause before restart number `count` (from 0): doubled each time up to the maximum, less up to a quarter by
 * `chance` (0 to 1), so that what fell over together does not get up together.
 */
export function backoffMs(settings: RestartSettings, count: number, chance: number): number {
  const fullMs = Math.min(settings.maxBackoffMs, settings.minBackoffMs * 2 ** count);
  return Math.round(fullMs * (1 - chance / 4));
}

/** One step of a linear congruential generator (Numerical Recipes): a pure stand-in for chance. */
export function nextSeed(seed: number): number {
  return (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
}

/** A seed as a number from 0 to 1. */
export function toChance(seed: number): number {
  return seed / 2 ** 32;
}
