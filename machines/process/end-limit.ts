import type { LimitName, ProcessContext } from './context.ts';

/** Time limit that ends a process if nothing else does. */
export interface EndLimit {
  readonly limit: LimitName;
  readonly afterMs: number;
  /** Start of the count, as in `DeadlineOrder`. */
  readonly from: 'call' | 'start';
}

/**
 * Returns the limit that will end the process as things are; `null` without one. A timeout in the foreground may only move the
 * process to the background.
 */
export function toEndLimit({ background, onTimeout, limits }: ProcessContext): EndLimit | null {
  const inBackground = ending('maxBackgroundTime', limits.maxBackgroundMs, 'start');
  if (background) return inBackground;
  const inForeground = ending('maxExecutionTime', limits.maxExecutionMs, 'call');
  const timeout = ending('timeout', limits.timeoutMs, 'call');
  if (timeout === null || onTimeout === 'wait') return inForeground;
  if (inForeground !== null && inForeground.afterMs < timeout.afterMs) return inForeground;
  return onTimeout === 'kill' ? timeout : inBackground;
}

/** Returns a limit; 0 means none. */
function ending(limit: LimitName, afterMs: number, from: EndLimit['from']): EndLimit | null {
  return afterMs === 0 ? null : { limit, afterMs, from };
}
