import { closeSync, lstatSync, readSync, type Stats, writeSync } from 'node:fs';
import { openPrivateFile } from '../store/private-files.ts';
import { type FileSpan, type LogMap, segmentAt, tailPathOf } from './log-map.ts';
import { countNewlines } from './newline-count.ts';
import { type LogMapReader, type OpenFile, openToRead } from './read-log-map.ts';

/**
 * Reads a log file written by another program, by offsets that never shift, whatever was removed from the
 * file. Keeps nothing open or cached: each call asks the system, in microseconds if the file is in its cache.
 * Never throws; `problem` says what failed.
 */
export interface TailedFile {
  readonly path: string;
  /** Returns the offset of the next byte; never decreases. */
  bytes(): number;
  /** Returns `null` while there is no file. */
  stat(): Stats | null;
  map(): LogMap;
  /**
   * Returns the offset after the last byte present: less than `bytes` once the file was removed or shortened.
   */
  presentBytes(): number;
  /**
   * Reads what begins at `offset`: at most `maxBytes` bytes, or a whole gap. Bytes removed by another program
   * are a gap, too. `null` at the end, and if reading failed: then `readError` says why, and the caller may
   * retry.
   */
  read(offset: number, maxBytes: number): FileSpan | null;
  /** Overwrites bytes in place. @throws the system's error. */
  replace(offset: number, bytes: Uint8Array): void;
  /** Reason why the last access to an existing or expected file failed, or the part of the file that is missing. */
  readonly problem: string | null;
  readonly readError: string | null;
}

interface TailedFileOptions {
  readonly path: string;
  /** Tells where the bytes are. */
  readonly maps: LogMapReader;
  /** The file should exist already. */
  readonly isExpected: boolean;
  readonly openFile?: OpenFile;
}

export function createTailedFile(options: TailedFileOptions): TailedFile {
  const { path, isExpected, maps, openFile = openToRead } = options;
  let longestSeenBytes = 0;
  let hasBeenThere = isExpected;
  let isMissing = true;
  let statError: string | null = null;
  let shortenedProblem: string | null = null;
  let readError: string | null = null;

  function stat(): Stats | null {
    try {
      const stats = lstatSync(path);
      hasBeenThere = true;
      isMissing = false;
      statError = null;
      return stats;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      isMissing = code === 'ENOENT';
      if (!isMissing || hasBeenThere) statError = isMissing ? `${path} was removed` : message;
      return null;
    }
  }

  function presentBytes(): number {
    const stats = stat();
    if (stats === null) return isMissing ? 0 : longestSeenBytes;
    const present = stats.size + maps.read().shift;
    longestSeenBytes = Math.max(longestSeenBytes, present);
    const missing = longestSeenBytes - present;
    shortenedProblem = missing === 0 ? null : `${path} is ${missing} bytes shorter than it was`;
    return present;
  }

  function bytes(): number {
    presentBytes();
    return longestSeenBytes;
  }

  function read(offset: number, maxBytes: number): FileSpan | null {
    const before = maps.read();
    if (maps.error !== null) {
      readError = maps.error;
      return null;
    }
    const span = readBy(before, { offset, maxBytes });
    // Gaps are recorded before their bytes are removed, so that the bytes are valid if the map is unchanged.
    return maps.read() === before ? span : read(offset, maxBytes);
  }

  function readBy(by: LogMap, { offset, maxBytes }: { offset: number; maxBytes: number }): FileSpan | null {
    const gap = by.gaps.find(({ to }) => to > offset);
    if (gap !== undefined && gap.from <= offset) return { type: 'gap', from: offset, to: gap.to };
    const { to } = segmentAt(by, offset);
    const end = Math.min(offset + maxBytes, gap?.from ?? Number.POSITIVE_INFINITY, to);
    const found = readAt(offset, by, end - offset);
    if (found === null) return null;
    if (found.byteLength > 0) return { type: 'bytes', offset, bytes: found };
    const missingTo = by.segments.find((next) => next.offset > offset)?.offset ?? bytes();
    return missingTo > offset ? { type: 'gap', from: offset, to: missingTo } : null;
  }

  function replace(offset: number, bytes: Uint8Array): void {
    const { file, position } = locate(path, { offset, by: maps.read() });
    const descriptor = openPrivateFile(file, 'change');
    try {
      writeSync(descriptor, bytes, 0, bytes.byteLength, position);
    } finally {
      closeSync(descriptor);
    }
  }

  function readAt(offset: number, by: LogMap, length: number): Uint8Array | null {
    const { file, position } = locate(path, { offset, by });
    const found = readRange(file, { position, length, openFile });
    readError = 'error' in found ? found.error : null;
    return 'error' in found ? null : found.bytes;
  }

  return {
    path,
    bytes,
    presentBytes,
    stat,
    map: () => maps.read(),
    read,
    replace,
    get problem() {
      return statError ?? shortenedProblem ?? readError;
    },
    get readError() {
      return readError;
    },
  };
}

/** Finds the file and the place in it where an offset is. */
function locate(
  path: string,
  { offset, by }: { readonly offset: number; readonly by: LogMap },
): { readonly file: string; readonly position: number } {
  const segment = segmentAt(by, offset);
  const position = segment.position + offset - segment.offset;
  return { file: segment.file === 'log' ? path : tailPathOf(path), position };
}

/** Reads a range of a file: fewer bytes if the file ends before, none if it is gone. */
function readRange(
  file: string,
  { position, length, openFile }: { position: number; length: number; openFile: OpenFile },
): { readonly bytes: Uint8Array } | { readonly error: string } {
  let descriptor: number | null = null;
  try {
    descriptor = openFile(file);
    const buffer = Buffer.allocUnsafeSlow(length);
    const count = readSync(descriptor, buffer, { position, length, offset: 0 });
    return { bytes: buffer.subarray(0, count) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { bytes: noBytes } : { error: message };
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

const noBytes = new Uint8Array(0);

/** Bytes counted in one call: some 2 ms. */
const maxBytesAtOnce = 4 * 1024 * 1024;
const pieceBytes = 256 * 1024;

/** Counts the newlines of a file that is not read otherwise. */
export class LineCounter {
  readonly #file: TailedFile;
  #counted = 0;
  #lines = 0;
  #isWhole = true;

  constructor(file: TailedFile) {
    this.#file = file;
  }

  /**
   * Returns `null` while counting is incomplete: each call continues where the last one stopped. If bytes
   * were removed before they were counted, the result stays `null`.
   */
  count(upTo: number): number | null {
    const stop = Math.min(upTo, this.#counted + maxBytesAtOnce);
    while (this.#isWhole && this.#counted < stop) {
      const span = this.#file.read(this.#counted, Math.min(pieceBytes, stop - this.#counted));
      if (span === null) break;
      this.#isWhole = span.type === 'bytes';
      if (span.type === 'gap') break;
      this.#lines += countNewlines(span.bytes);
      this.#counted += span.bytes.byteLength;
    }
    return this.#isWhole && this.#counted >= upTo ? this.#lines : null;
  }
}
