import { z } from 'zod';
import type { Cancel } from '../clock/clock.ts';

/** Schema of an option `signal`. */
export const abortSignal = z.instanceof(AbortSignal);

/** Schema of an option `onAbort`, without its default. */
export const onAbort = z.enum(['kill', 'detach']);

/** Options that abort a wait for a process. */
export interface AbortOptions {
  /** Ends the wait when aborted; `onAbort` decides about the process. Default: none. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Fate of the process when `signal` is aborted. `detach`: it continues. `kill`: its whole tree is killed, and the wait ends with it.
   * Default `detach`.
   */
  readonly onAbort?: 'kill' | 'detach' | undefined;
}

/** Schema of `AbortOptions`. */
export const abortOptions = z.strictObject({
  signal: abortSignal.optional(),
  onAbort: onAbort.default('detach'),
});

/** Calls `act` once the signal is aborted, at once if it is already. The returned function removes the listener. */
export function onceAborted(signal: AbortSignal, act: () => void): Cancel {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}

/**
 * Returns the signal that ends a wait. Where an abort kills the process, the wait ends with the process; the returned signal is then aborted
 * only if the kill could not end it. `release` is to be called at the end of the wait.
 */
export function toWaitSignal(
  { signal, onAbort }: z.output<typeof abortOptions>,
  kill: () => Promise<{ readonly type: string }>,
): { readonly signal: AbortSignal | undefined; readonly release: Cancel } {
  if (signal === undefined || onAbort === 'detach') return { signal, release: () => {} };
  const controller = new AbortController();
  const release = onceAborted(signal, () => {
    void kill().then(({ type }) => {
      if (type === 'survived' || type === 'notRunning') controller.abort(signal.reason);
    });
  });
  return { signal: controller.signal, release };
}
