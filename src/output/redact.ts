import type { OutputStream } from './output-sink.ts';
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
  /** Returns the bytes that may be shown now. Trailing bytes that could begin a secret are held back. */
  push(bytes: Uint8Array): Uint8Array;
  /** Returns the bytes held back, with whole secrets and at least half secrets replaced. */
  flush(): Uint8Array;
  /** Redacts one more secret from now on. */
  add(secret: string): void;
}

/**
 * Replaces every secret with `[redacted]`, even if it arrives in pieces; overlapping secrets become one mark.
 * A truncated secret is replaced from its half, but at least six characters, on: a program that redraws input
 * at every key would otherwise reveal almost all of it. Secrets match without trailing line breaks, and with
 * the CRLF that a terminal makes of line feeds. Returns `null` if there is nothing to redact. `drawn` text
 * comes from a terminal, where a secret may be wrapped at the end of a line.
 */
export function createRedactor(
  secrets: readonly string[],
  form: 'exact' | 'drawn' = 'exact',
): Redactor | null {
  let needles = toNeedles(secrets);
  if (needles.length === 0) return null;
  const search = form === 'exact' ? exactSearch : drawnSearch;
  let held: Uint8Array = new Uint8Array(0);
  /** Held bytes that belong to a secret whose mark was already emitted. */
  let covered = 0;

  function push(bytes: Uint8Array): Uint8Array {
    const text = held.byteLength === 0 ? asBuffer(bytes) : Buffer.concat([held, bytes]);
    const openBytes = Math.max(...needles.map((needle) => search.partialMatchAtEnd(text, needle).bytes));
    const cut = text.byteLength - openBytes;
    const shown = show(text, { spans: findAll(text, { needles, search }), cut });
    // Copied, because a few held bytes would keep the whole chunk in memory.
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

  /** Returns the text before the cut, without what an earlier mark covers. */
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

/** Redactors of the streams of a log. */
export type StreamRedactors = Readonly<Record<OutputStream, Redactor>>;

/** Creates the redactors; `null` if there is nothing to redact. */
export function createStreamRedactors(secrets: readonly string[]): StreamRedactors | null {
  const stdout = createRedactor(secrets);
  const stderr = createRedactor(secrets);
  const screen = createRedactor(secrets, 'drawn');
  return stdout === null || stderr === null || screen === null ? null : { stdout, stderr, screen };
}

/** Returns true if the text contains a whole secret, including as drawn on a terminal. */
export function showsSecret(text: string, secrets: readonly string[]): boolean {
  return toNeedles(secrets).some((needle) => {
    const whole = { ...needle, headBytes: needle.bytes.byteLength };
    return drawnSearch.findAll(Buffer.from(text), whole).length > 0;
  });
}

/** Converts secrets to needles, without trailing line breaks, and as a terminal prints them. */
export function toNeedles(secrets: readonly string[]): readonly Needle[] {
  const bare = secrets.map((secret) => secret.replace(/[\r\n]+$/, '')).filter((secret) => secret !== '');
  const asOnTerminal = bare.map((secret) => secret.replace(/\r?\n/g, '\r\n'));
  return [...new Set([...bare, ...asOnTerminal])].map(toNeedle);
}

interface Search {
  readonly needles: readonly Needle[];
  readonly search: SecretSearch;
}

/** Returns all matches, ordered by their start. */
function findAll(text: Buffer, { needles, search }: Search): Span[] {
  return needles.flatMap((needle) => search.findAll(text, needle)).sort((a, b) => a.from - b.from);
}

/** Finds ends of the text that are at least half a secret. */
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

/** Replaces a secret. */
const redactedMark = '[redacted]';
const mark: Uint8Array = Buffer.from(redactedMark);

/** Follows the mark where a longer secret must keep its length. */
const filler = '*';

/** Returns the mask for the character of a secret with that index, where each is masked in place. */
export function markAt(index: number): string {
  return redactedMark[index] ?? filler;
}

/** Removes the filler after marks that were masked in place. */
export function withoutFiller(text: string): string {
  return text.replaceAll(/\[redacted\]\*+/g, redactedMark);
}

/**
 * Redacts a text by the rules of `createRedactor`, including truncated secrets. Existing marks stay. Returns
 * the same text if there is nothing to redact.
 */
export function redactText(text: string, secrets: readonly string[]): string {
  const redactor = createRedactor(secrets);
  if (redactor === null) return text;
  const redact = (part: string) =>
    Buffer.concat([redactor.push(Buffer.from(part)), redactor.flush()]).toString();
  const isMarkSecret = secrets.some((secret) => secret.includes(redactedMark));
  const shown = isMarkSecret ? redact(text) : text.split(redactedMark).map(redact).join(redactedMark);
  // UTF-8 cannot represent lone surrogates.
  return shown === text.toWellFormed() ? text : shown;
}

/** Redacts each text in a JSON value, including keys. Other values stay unchanged. */
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
