import type { ReadableStore } from './live-state.ts';

/** Share of the time that reading and publishing may take where a store waits between changes. */
const MAX_SHARE = 0.1;

/**
 * Makes a store of a source. `read` returns the state now, the same object if nothing has changed. `open` calls `changed` after each
 * change, from the first subscriber to the last, and returns what ends it. Changes within `pauseMs` (default 0) of the last one are
 * published together after it, and later where reading them costs more than a tenth of the time.
 */
export function createSharedStore<T>(source: {
  readonly pauseMs?: number;
  read(): T;
  open(changed: () => void): () => void;
}): ReadableStore<T> {
  const { pauseMs = 0 } = source;
  const subscribers = new Set<{ readonly onChange: () => void }>();
  let close = () => {};
  let told: T | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isPending = false;

  const publish = () => {
    const now = source.read();
    if (now === told) return;
    told = now;
    for (const { onChange } of [...subscribers]) onChange();
  };
  const pause = (ms: number) => {
    timer = setTimeout(() => {
      timer = null;
      if (isPending) publishPaused();
    }, ms);
  };
  const publishPaused = () => {
    isPending = false;
    const begin = performance.now();
    publish();
    pause(Math.max(pauseMs, (performance.now() - begin) / MAX_SHARE));
  };
  const change = () => {
    if (pauseMs === 0) return publish();
    isPending = true;
    if (timer === null) publishPaused();
  };
  const unsubscribe = (subscriber: { readonly onChange: () => void }) => {
    if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
    told = null;
    isPending = false;
    if (timer !== null) clearTimeout(timer);
    timer = null;
    close();
  };

  return {
    // Without subscribers nothing says that it has changed.
    getSnapshot: () => told ?? source.read(),
    getServerSnapshot: () => told ?? source.read(),
    subscribe: (onChange) => {
      const subscriber = { onChange };
      subscribers.add(subscriber);
      if (subscribers.size === 1) {
        told = source.read();
        close = source.open(change);
      }
      return () => unsubscribe(subscriber);
    },
  };
}
