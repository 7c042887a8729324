import {
  drawnSearch,
  exactSearch,
  type Needle,
  type SecretSearch,
  type Span,
  toNeedle,
} from './secret-search.ts';

/** Replaces secrets in one stream of bytes. */
export interface Redactor {
  /** What may be shown by now. An end that could be the beginning of a secret is held until more is known. */
  push(bytes: Uint8Array): Uint8Array;
  /** What is still held, whole secrets in it replaced. Half a secret and more is not shown either. */
  flush(): Uint8Array;
  /** From now on this one is replaced, too; what was shown before stays as it is. */
  add(secret: string): void;
}

/**
 * Every secret becomes `[redacted]`, also when it comes in pieces; secrets that overlap in the text become one mark.
 * Half of one and more is not shown either where it breaks off, from six characters on: whoever draws again and again what is being
 * typed would show it up to the last. A secret counts without line breaks at its end, and with the CRLF that a terminal makes of its line feeds.
 * `null` when there is nothing to hide. `drawn` text is that of a terminal, where a secret may be typed over the end of a line.
 */
export function createRedactor(
  secrets: readonly string[],
  form: 'exact' | 'drawn' = 'exact',
): Redactor | null {
  let needles = toNeedles(secrets);
  if (needles.length === 0) return null;
  const search = form === 'exact' ? exactSearch : drawnSearch;
  let held: Uint8Array = new Uint8Array(0);
  /** How many of the held bytes belong to a secret whose mark is already out. */
  let covered = 0;

  function push(bytes: Uint8Array): Uint8Array {
    const text = held.byteLength === 0 ? asBuffer(bytes) : Buffer.concat([held, bytes]);
    const openBytes = Math.max(...needles.map((needle) => search.partialMatchAtEnd(text, needle).bytes));
    const cut = text.byteLength - openBytes;
    const shown = show(text, { spans: findAll(text, { needles, search }), cut });
    // A copy: the chunk that a few held bytes lie in would stay in memory with them.
    held = Uint8Array.from(text.subarray(cut));
    return shown;
  }

  function flush(): Uint8Array {
    const text = asBuffer(held);
    const found = [...findAll(text, { needles, search }), ...recognizableEnds(text, { needles, search })];
    const spans = found.sort((a, b) => a.from - b.from);
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
      if (from >= shown) parts.push(text.subarray(shown, from), mark);
      shown = Math.max(shown, to);
    }
    if (shown < cut) parts.push(text.subarray(shown, cut));
    covered = Math.max(0, shown - cut);
    const only = parts[0];
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  const add = (secret: string) => {
    needles = [...needles, ...toNeedles([secret])];
  };
  return { push, flush, add };
}

/** Whether the text shows one of these whole, also as a program draws it. */
export function showsSecret(text: string, secrets: readonly string[]): boolean {
  return toNeedles(secrets).some((needle) => {
    const whole = { ...needle, headBytes: needle.bytes.byteLength };
    return drawnSearch.findAll(Buffer.from(text), whole).length > 0;
  });
}

/** What is looked for: each without line breaks at its end, and as a terminal prints it. */
export function toNeedles(secrets: readonly string[]): readonly Needle[] {
  const bare = secrets.map((secret) => secret.replace(/[\r\n]+$/, '')).filter((secret) => secret !== '');
  const asOnTerminal = bare.map((secret) => secret.replace(/\r?\n/g, '\r\n'));
  return [...new Set([...bare, ...asOnTerminal])].map(toNeedle);
}

interface Search {
  readonly needles: readonly Needle[];
  readonly search: SecretSearch;
}

/** By their beginning. */
function findAll(text: Buffer, { needles, search }: Search): Span[] {
  return needles.flatMap((needle) => search.findAll(text, needle)).sort((a, b) => a.from - b.from);
}

/** Ends of the text that are half a secret and more. */
function recognizableEnds(text: Buffer, { needles, search }: Search): Span[] {
  const to = text.byteLength;
  return needles.flatMap((needle) => {
    const { bytes, known } = search.partialMatchAtEnd(text, needle);
    return known > 0 && known * 2 >= needle.bytes.byteLength ? [{ from: to - bytes, to }] : [];
  });
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What stands where a secret was. */
const redactedMark = '[redacted]';
const mark: Uint8Array = Buffer.from(redactedMark);

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

/**
 * A text as it may be shown, by the rules of `createRedactor`: also half a secret and more is replaced. Marks that it has already stay as
 * they are. The same text where there is nothing to hide.
 */
export function redactText(text: string, secrets: readonly string[]): string {
  const redactor = createRedactor(secrets);
  if (redactor === null) return text;
  const redact = (part: string) =>
    Buffer.concat([redactor.push(Buffer.from(part)), redactor.flush()]).toString();
  const isMarkSecret = secrets.some((secret) => secret.includes(redactedMark));
  const shown = isMarkSecret ? redact(text) : text.split(redactedMark).map(redact).join(redactedMark);
  // UTF-8 has no half characters of UTF-16.
  return shown === text.toWellFormed() ? text : shown;
}

/** The same for what JSON can say: each text in it, keys too. Anything else stays what it is. */
export function redactValue<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 ? value : (redactWithin(value, secrets) as T);
}

function redactWithin(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((each) => redactWithin(each, secrets));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [redactText(key, secrets), redactWithin(each, secrets)]),
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
