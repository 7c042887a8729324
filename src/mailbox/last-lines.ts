/** Returns the last whole lines of a text that fit in `maxBytes` of UTF-8, or the end of a line that alone is longer. */
export function lastLines(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= maxBytes) return text;
  const start = bytes.byteLength - maxBytes;
  const lineStart = bytes.indexOf(10, start - 1) + 1;
  const isInside = lineStart > 0 && lineStart < bytes.byteLength;
  return bytes.subarray(isInside ? lineStart : toCharacterStart(bytes, start)).toString();
}

/** Skips UTF-8 continuation bytes (10xxxxxx). */
function toCharacterStart(bytes: Buffer, place: number): number {
  let start = place;
  while (start < bytes.byteLength && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start += 1;
  return start;
}
