/** Calls each in turn. One that throws is told of and not called again; the others hear all the same. */
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
    // Whoever is told about a broken listener and breaks as well has had his chance.
  }
}
