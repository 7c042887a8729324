/** What stands where a secret was. */
export const redactedMark = '[redacted]';

/** What stands behind the mark where a secret is longer and its place must stay as long as it was. */
const filler = '*';

/** What covers the character of a secret with that index, where each is covered in its own place. */
export function markAt(index: number): string {
  return redactedMark[index] ?? filler;
}

/** The text with marks as they are elsewhere: without what only keeps a place. */
export function withoutFiller(text: string): string {
  return text.replaceAll(/\[redacted\]\*+/g, redactedMark);
}
