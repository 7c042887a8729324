/** Calls each listener in turn. A listener that throws is reported and removed; the others are still called. */
export function notifyListeners(
  listeners: Set<() => void> | null,
  onError: ((error: unknown) => void) | undefined,
): void {
  if (listeners === null) return;
  for (const listener of listeners) {
    try {
      listener();
    } catch (error) {
      listeners.delete(listener);
      reportError(onError, error);
    }
  }
}

function reportError(onError: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    onError?.(error);
  } catch {
    // The error reporter may fail, too; nothing is left to report that to.
  }
}
