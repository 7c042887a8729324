import { redactedMark } from './secret-mark.ts';
import {
  drawnSearch,
  exactSearch,
  type Needle,
  type SecretSearch,
  type Span,
  toNeedle,
} from './secret-search.ts';

const mark: Uint8Array = Buffer.from(redactedMark);

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
    const openBytes = Math.max(...needles.map((needle) => search.openEnd(text, needle).bytes));
    const cut = text.byteLength - openBytes;
    const shown = show(text, { spans: findAll(text, { needles, search }), cut });
    // A copy: the chunk that a few held bytes lie in would stay in memory with them.
    held = Uint8Array.from(text.subarray(cut));
    return shown;
  }

  function flush(): Uint8Array {
    const text = asBuffer(held);
    const found = [...findAll(text, { needles, search }), ...tellingEnds(text, { needles, search })];
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
function tellingEnds(text: Buffer, { needles, search }: Search): Span[] {
  const to = text.byteLength;
  return needles.flatMap((needle) => {
    const { bytes, known } = search.openEnd(text, needle);
    return known > 0 && known * 2 >= needle.bytes.byteLength ? [{ from: to - bytes, to }] : [];
  });
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
