/** Returns a function that creates a value and returns the same one to all calls of the same synchronous code. */
export function keepForTurn<T>(create: () => T): () => T {
  let kept: { readonly value: T } | null = null;
  return () => {
    if (kept === null) {
      kept = { value: create() };
      queueMicrotask(() => {
        kept = null;
      });
    }
    return kept.value;
  };
}
