import type { Clock } from './clock.ts';

/** Resolves after `ms`; rejects with the signal's reason once it is aborted. */
export function pause(clock: Clock, { ms, signal }: { ms: number; signal?: AbortSignal | undefined }) {
  return new Promise<void>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.at(clock.nowMs() + ms, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
}
