export const redactedMark: Uint8Array = Buffer.from('[redacted]');

/** Replaces secrets in one stream of bytes. */
export interface Redactor {
  /** What may be shown by now. An end that could be the beginning of a secret is held until more is known. */
  push(bytes: Uint8Array): Uint8Array;
  /** What is still held. Half a secret and more is not shown either. */
  flush(): Uint8Array;
}

/**
 * Every secret becomes `[redacted]`, also when it comes in pieces; secrets that overlap in the text become one mark.
 * A secret counts without line breaks at its end, and with the CRLF that a terminal makes of its line feeds.
 * `null` when there is nothing to hide.
 */
export function createRedactor(secrets: readonly string[]): Redactor | null {
  const needles = toNeedles(secrets);
  if (needles.length === 0) return null;
  let held: Uint8Array = new Uint8Array(0);
  /** How many of the held bytes belong to a secret whose mark is already out. */
  let covered = 0;

  function push(bytes: Uint8Array): Uint8Array {
    const text = held.byteLength === 0 ? asBuffer(bytes) : Buffer.concat([held, bytes]);
    const openBytes = Math.max(...needles.map((needle) => openEnd(text, needle)));
    const cut = text.byteLength - openBytes;
    const parts: Uint8Array[] = [];
    let shown = covered;
    for (const { from, to } of findAll(text, needles)) {
      if (from >= cut) break;
      if (from >= shown) parts.push(text.subarray(shown, from), redactedMark);
      shown = Math.max(shown, to);
    }
    if (shown < cut) parts.push(text.subarray(shown, cut));
    covered = Math.max(0, shown - cut);
    // A copy: the chunk that a few held bytes lie in would stay in memory with them.
    held = Uint8Array.from(text.subarray(cut));
    const only = parts[0];
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  function flush(): Uint8Array {
    const rest = held.subarray(covered);
    const isTelling = needles.some((needle) => {
      const openBytes = openEnd(asBuffer(held), needle);
      return openBytes * 2 >= needle.byteLength && held.byteLength - openBytes <= covered;
    });
    held = new Uint8Array(0);
    covered = 0;
    return isTelling && rest.byteLength > 0 ? redactedMark : rest;
  }

  return { push, flush };
}

function toNeedles(secrets: readonly string[]): Buffer[] {
  const bare = secrets.map((secret) => secret.replace(/[\r\n]+$/, '')).filter((secret) => secret !== '');
  const asOnTerminal = bare.map((secret) => secret.replace(/\r?\n/g, '\r\n'));
  return [...new Set([...bare, ...asOnTerminal])].map((secret) => Buffer.from(secret));
}

/** All matches, also those that overlap, by their beginning. */
function findAll(text: Buffer, needles: readonly Buffer[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const needle of needles) {
    for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + 1)) {
      found.push({ from, to: from + needle.byteLength });
    }
  }
  return found.sort((a, b) => a.from - b.from);
}

/** How many bytes at the end of the text are the beginning, but not the whole, of the secret. */
function openEnd(text: Buffer, needle: Buffer): number {
  const first = needle[0] ?? 0;
  const earliest = Math.max(0, text.byteLength - needle.byteLength + 1);
  for (let at = text.indexOf(first, earliest); at !== -1; at = text.indexOf(first, at + 1)) {
    if (needle.compare(text, at, text.byteLength, 0, text.byteLength - at) === 0) return text.byteLength - at;
  }
  return 0;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
