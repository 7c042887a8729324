import { setImmediate, setTimeout } from 'node:timers/promises';
import { toErrorText } from '../config/error-text.ts';
import type { FileSpan } from './log-map.ts';
import { markAt, toNeedles } from './redact.ts';

import { drawnSearch, longestDrawn, type Needle, type Span } from './secret-search.ts';
import type { TailedFile } from './tailed-file.ts';

/**
 * A file written by another program, as it may be shown: every byte of a secret is masked in place, so that
 * offsets never shift. The result does not depend on where a read begins or ends; only the first half of a
 * secret that is still being written can be shown. Line feeds stay, so that lines are those of the file.
 */
export interface RedactedFile {
  read: TailedFile['read'];
  /** Masks one more secret, including in output read before. */
  add(secret: string): void;
  /**
   * Masks the secrets in the file itself, for readers other than troupe. Call it once nothing truncates the file
   * any more. Resolves with the system's error if it failed repeatedly, else with `null`.
   */
  redactInFile(): Promise<string | null>;
}

/** Bytes processed before yielding to the event loop. */
const pieceBytes = 256 * 1024;

/** Masking may fail for a moment, for instance with too many open files. */
const maxMaskTries = 3;
const maskRetryMs = 100;

export function createRedactedFile(file: TailedFile): RedactedFile {
  let needles: readonly Needle[] = [];
  /** Bytes around a byte that a secret containing it may span. */
  let reach = 0;

  /** Returns `null` if reading fails now. */
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

  /** Returns the bytes without a gap before the offset. */
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

  /** Yields the masked runs of a piece. */
  function* coveredRuns({ offset, bytes }: { offset: number; bytes: Uint8Array }) {
    const shown = read(offset, bytes.byteLength);
    if (shown?.type !== 'bytes') return throwReadError(file);
    for (let at = 0; at < shown.bytes.byteLength; at += 1) {
      const from = at;
      while (at < shown.bytes.byteLength && shown.bytes[at] !== bytes[at]) at += 1;
      if (at > from) yield { offset: offset + from, bytes: shown.bytes.subarray(from, at) };
    }
  }

  async function coverInFile(): Promise<void> {
    const runs: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
    // The process may still be writing.
    const end = file.bytes();
    for (let offset = 0; offset < end; ) {
      const span = file.read(offset, Math.min(pieceBytes, end - offset));
      if (span === null) {
        throwReadError(file);
        break;
      }
      if (span.type === 'bytes') runs.push(...coveredRuns(span));
      offset = span.type === 'gap' ? span.to : offset + span.bytes.byteLength;
      await setImmediate();
    }
    // Replaced last: half of a masked secret cannot be recognized.
    for (const run of runs) file.replace(run.offset, run.bytes);
  }

  async function maskInFile(): Promise<string | null> {
    for (let tries = 1; ; tries += 1) {
      try {
        await coverInFile();
        return null;
      } catch (error) {
        if (tries === maxMaskTries) return toErrorText(error);
      }
      await setTimeout(maskRetryMs);
    }
  }

  return {
    read,
    redactInFile: maskInFile,
    add: (secret) => {
      needles = [...needles, ...toNeedles([secret])];
      reach = Math.max(0, ...needles.map(longestDrawn));
    },
  };
}

/** Throws the read error of a file. Bytes that are gone need no mask. */
function throwReadError({ readError }: TailedFile): void {
  if (readError !== null) throw new Error(readError);
}

const lineFeed = 0x0a;

/**
 * Masks in place. The newest secret that covers a byte determines its mask, since it is in reach wherever the
 * text begins.
 */
function cover(text: Buffer, spans: readonly Span[]): Buffer {
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    for (let at = from; at < to; at += 1) {
      if (text[at] !== lineFeed) text[at] = markAt(at - from).charCodeAt(0);
    }
  }
  return text;
}

/** Finds the end of a secret whose beginning is in a gap, if it is at least half of the secret. */
function recognizableBeginning(text: Buffer, { bytes, headBytes }: Needle): Span[] {
  for (let to = bytes.byteLength - 1; to >= headBytes; to -= 1) {
    if (text.subarray(0, to).equals(bytes.subarray(-to))) return [{ from: 0, to }];
  }
  return [];
}
