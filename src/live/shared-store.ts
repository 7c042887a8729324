import type { ReadableStore } from './live-state.ts';

/**
 * Makes a store of a source. `read` returns the state now, the same object if nothing has changed. `open` calls `changed` after each
 * change, from the first subscriber to the last, and returns what ends it.
 */
export function createSharedStore<T>(source: {
  read(): T;
  open(changed: () => void): () => void;
}): ReadableStore<T> {
  const subscribers = new Set<{ readonly onChange: () => void }>();
  let close = () => {};
  let told: T | null = null;

  const publish = () => {
    const now = source.read();
    if (now === told) return;
    told = now;
    for (const { onChange } of [...subscribers]) onChange();
  };
  const unsubscribe = (subscriber: { readonly onChange: () => void }) => {
    if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
    told = null;
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
        close = source.open(publish);
      }
      return () => unsubscribe(subscriber);
    },
  };
}
