/** Returns the message of a thrown value, which can be anything. */
export function toErrorText(error: unknown): string {
  return toError(error).message;
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
