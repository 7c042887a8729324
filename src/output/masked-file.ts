import { setImmediate } from 'node:timers/promises';
import { markAt, toNeedles } from './redact.ts';

import { drawnSearch, longestDrawn, type Needle, type Span } from './secret-search.ts';
import type { FileSpan, TailedFile } from './tailed-file.ts';

/**
 * A file that others write, as it may be shown: each byte of a secret is covered in its place, so that no offset shifts. What is covered
 * does not depend on where a read begins or ends; only of a secret that is still being written the first half can be shown before
 * the rest is there. Line feeds stay, so that lines are the same as in the file.
 */
export interface MaskedFile {
  read: TailedFile['read'];
  /** Covers one more, also in what was read before. */
  add(secret: string): void;
  /**
   * Covers them in the file itself, for whoever reads it without us: to be called once nobody takes anything out of it any more.
   * Rejects with what the system says.
   */
  coverInFile(): Promise<void>;
}

/** Between two of them others go on. */
const pieceBytes = 256 * 1024;

export function createMaskedFile(file: TailedFile): MaskedFile {
  let needles: readonly Needle[] = [];
  /** So far around a byte may a secret go that the byte is part of. */
  let reach = 0;

  /** `null` where reading fails now. */
  function readBehind(offset: number): Buffer | null {
    const parts: Uint8Array[] = [];
    for (let left = reach; left > 0; ) {
      const span = file.read(offset + reach - left, left);
      if (span === null && file.readError !== null) return null;
      if (span === null || span.type === 'gap') break;
      parts.push(span.bytes);
      left -= span.bytes.byteLength;
    }
    return Buffer.concat(parts);
  }

  /** What is there without a gap up to the offset. */
  function readBefore(offset: number): { readonly bytes: Buffer; readonly isBehindGap: boolean } | null {
    let parts: Uint8Array[] = [];
    let isBehindGap = false;
    for (let at = Math.max(0, offset - reach); at < offset; ) {
      const span = file.read(at, offset - at);
      if (span === null) return null;
      isBehindGap ||= span.type === 'gap';
      parts = span.type === 'gap' ? [] : [...parts, span.bytes];
      at = span.type === 'gap' ? span.to : at + span.bytes.byteLength;
    }
    return { bytes: Buffer.concat(parts), isBehindGap };
  }

  function read(offset: number, maxBytes: number): FileSpan | null {
    const span = file.read(offset, maxBytes);
    if (span === null || span.type === 'gap') return span;
    const before = readBefore(offset);
    const behind = readBehind(offset + span.bytes.byteLength);
    if (before === null || behind === null) return null;
    const text = Buffer.concat([before.bytes, span.bytes, behind]);
    const found = needles.flatMap((needle) => drawnSearch.findAll(text, needle));
    if (before.isBehindGap) found.push(...needles.flatMap((needle) => recognizableBeginning(text, needle)));
    if (found.length === 0) return span;
    const from = before.bytes.byteLength;
    return { ...span, bytes: cover(text, found).subarray(from, from + span.bytes.byteLength) };
  }

  /** What is covered of a piece, by runs. */
  function* coveredRuns({ offset, bytes }: { offset: number; bytes: Uint8Array }) {
    const shown = read(offset, bytes.byteLength);
    if (shown?.type !== 'bytes') return failed();
    for (let at = 0; at < shown.bytes.byteLength; at += 1) {
      const from = at;
      while (at < shown.bytes.byteLength && shown.bytes[at] !== bytes[at]) at += 1;
      if (at > from) yield { offset: offset + from, bytes: shown.bytes.subarray(from, at) };
    }
  }

  /** What is not there any more needs no cover. */
  function failed(): void {
    if (file.readError !== null) throw new Error(file.readError);
  }

  async function coverInFile(): Promise<void> {
    const runs: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
    // Somebody may go on writing.
    const end = file.bytes();
    for (let offset = 0; offset < end; ) {
      const span = file.read(offset, Math.min(pieceBytes, end - offset));
      if (span === null) {
        failed();
        break;
      }
      if (span.type === 'bytes') runs.push(...coveredRuns(span));
      offset = span.type === 'gap' ? span.to : offset + span.bytes.byteLength;
      await setImmediate();
    }
    // Only now: half of one that is covered is not known for what it is.
    for (const run of runs) file.replace(run.offset, run.bytes);
  }

  return {
    read,
    coverInFile,
    add: (secret) => {
      needles = [...needles, ...toNeedles([secret])];
      reach = Math.max(0, ...needles.map(longestDrawn));
    },
  };
}

const lineFeed = 0x0a;

/** In the text itself. The newest secret that covers a byte says what stands there: it is in reach wherever the text begins. */
function cover(text: Buffer, spans: readonly Span[]): Buffer {
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    for (let at = from; at < to; at += 1) {
      if (text[at] !== lineFeed) text[at] = markAt(at - from).charCodeAt(0);
    }
  }
  return text;
}

/** The end of a secret whose beginning is in a gap, where it is half of it and more. */
function recognizableBeginning(text: Buffer, { bytes, headBytes }: Needle): Span[] {
  for (let to = bytes.byteLength - 1; to >= headBytes; to -= 1) {
    if (text.subarray(0, to).equals(bytes.subarray(-to))) return [{ from: 0, to }];
  }
  return [];
}
