export const redactedMark: Uint8Array = Buffer.from('[redacted]');

/** Replaces secrets in one stream of bytes. */
export interface Redactor {
  /** What may be shown by now. An end that could be the beginning of a secret is held until more is known. */
  push(bytes: Uint8Array): Uint8Array;
  /** What is still held, whole secrets in it replaced. Half a secret and more is not shown either. */
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
    const shown = show(text, { spans: findAll(text, needles), cut });
    // A copy: the chunk that a few held bytes lie in would stay in memory with them.
    held = Uint8Array.from(text.subarray(cut));
    return shown;
  }

  function flush(): Uint8Array {
    const text = asBuffer(held);
    const spans = [...findAll(text, needles), ...tellingEnds(text, needles)].sort((a, b) => a.from - b.from);
    const shown = show(text, { spans, cut: text.byteLength });
    held = new Uint8Array(0);
    return shown;
  }

  /** What stands before the cut, without what an earlier mark covers. */
  function show(text: Buffer, { spans, cut }: { spans: readonly Span[]; cut: number }): Uint8Array {
    const parts: Uint8Array[] = [];
    let shown = covered;
    for (const { from, to } of spans) {
      if (from >= cut) break;
      if (from >= shown) parts.push(text.subarray(shown, from), redactedMark);
      shown = Math.max(shown, to);
    }
    if (shown < cut) parts.push(text.subarray(shown, cut));
    covered = Math.max(0, shown - cut);
    const only = parts[0];
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  return { push, flush };
}

/** A place in the text that is not to be shown. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function toNeedles(secrets: readonly string[]): Buffer[] {
  const bare = secrets.map((secret) => secret.replace(/[\r\n]+$/, '')).filter((secret) => secret !== '');
  const asOnTerminal = bare.map((secret) => secret.replace(/\r?\n/g, '\r\n'));
  return [...new Set([...bare, ...asOnTerminal])].map((secret) => Buffer.from(secret));
}

/** All matches, also those that overlap, by their beginning. */
function findAll(text: Buffer, needles: readonly Buffer[]): Span[] {
  const found: Span[] = [];
  for (const needle of needles) {
    for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + 1)) {
      found.push({ from, to: from + needle.byteLength });
    }
  }
  return found.sort((a, b) => a.from - b.from);
}

/** Ends of the text that are half a secret and more. */
function tellingEnds(text: Buffer, needles: readonly Buffer[]): Span[] {
  const to = text.byteLength;
  return needles.flatMap((needle) => {
    const openBytes = openEnd(text, needle);
    return openBytes > 0 && openBytes * 2 >= needle.byteLength ? [{ from: to - openBytes, to }] : [];
  });
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
