import type { LimitName, ProcessContext } from './context.ts';

/** The time limit that ends a process if nothing else does. */
export interface EndLimit {
  readonly limit: LimitName;
  readonly afterMs: number;
  /** From when it counts; as in `DeadlineOrder`. */
  readonly from: 'call' | 'start';
}

/** Which limit will end the process as things are; `null` where none will. In the foreground a time-out may only promote it. */
export function toEndLimit({ background, onTimeout, limits }: ProcessContext): EndLimit | null {
  const inBackground = ending('maxBackgroundTime', limits.maxBackgroundMs, 'start');
  if (background) return inBackground;
  const inForeground = ending('maxExecutionTime', limits.maxExecutionMs, 'call');
  const timeout = ending('timeout', limits.timeoutMs, 'call');
  if (timeout === null || onTimeout === 'wait') return inForeground;
  if (inForeground !== null && inForeground.afterMs < timeout.afterMs) return inForeground;
  return onTimeout === 'kill' ? timeout : inBackground;
}

/** In limits, 0 means none. */
function ending(limit: LimitName, afterMs: number, from: EndLimit['from']): EndLimit | null {
  return afterMs === 0 ? null : { limit, afterMs, from };
}
