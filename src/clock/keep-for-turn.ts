/** Returns a function that creates a value at its first call in a turn of the event loop, and returns the same one until the turn ends. */
export function keepForTurn<T>(create: () => T): () => T {
  let kept: { readonly value: T } | null = null;
  return () => {
    kept ??= { value: create() };
    const { value } = kept;
    queueMicrotask(() => {
      kept = null;
    });
    return value;
  };
}
