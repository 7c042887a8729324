import { uptime } from 'node:os';
import { BEAT_MS, type Presence } from '../spawn/remote/presence.ts';

/** A worker that stood still for so long may be called lost before its next beat: askers wait for five seconds. */
const FROZEN_MS = 4_000;

/**
 * Calls back when what runs here may have been called lost: after this program stood still, and when the servers have stored no beat of it
 * for `isolatedMs`. Called again only after beats were stored. Returns the function that ends the watch.
 */
export function watchFence(
  presence: Pick<Presence, 'lastStoredMs'>,
  { isolatedMs, onFence }: { readonly isolatedMs: number; readonly onFence: (why: string) => void },
): () => void {
  let lastMs = uptime() * 1_000;
  let isFenced = false;
  const timer = setInterval(() => {
    // The clock of `performance` stands still while a machine is suspended; the uptime does not.
    const nowMs = uptime() * 1_000;
    const stoodMs = nowMs - lastMs;
    lastMs = nowMs;
    if (stoodMs > FROZEN_MS) return onFence(`this program stood still for ${Math.round(stoodMs)} ms`);
    const isolated = performance.now() - presence.lastStoredMs;
    if (isolated <= isolatedMs) isFenced = false;
    else if (!isFenced) {
      isFenced = true;
      onFence(`the servers have not answered for ${Math.round(isolated / 1_000)} s`);
    }
  }, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}
