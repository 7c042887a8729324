/** What was thrown, in words: anything can be. */
export function toErrorText(error: unknown): string {
  return toError(error).message;
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
