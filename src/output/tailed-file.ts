import { closeSync, lstatSync, readFileSync, readSync, type Stats, writeSync } from 'node:fs';
import { openPrivateFile } from '../store/private-files.ts';
import { type LogGap, type LogMap, parseLogMap, tailPathOf } from './log-map.ts';
import { countNewlines } from './newline-count.ts';

/** Bytes at an offset, or what is no longer there. */
export type FileSpan =
  | { readonly type: 'bytes'; readonly offset: number; readonly bytes: Uint8Array }
  | ({ readonly type: 'gap' } & LogGap);

/**
 * A log file that others write, as offsets: they never shift, whatever was taken out of the file. Nothing is held open and nothing is
 * kept: each call asks the system, in microseconds where the file is in its cache. Never throws; `trouble` says what failed.
 */
export interface TailedFile {
  readonly path: string;
  /** The offset of the next byte; never goes back. */
  bytes(): number;
  /** `null` while there is no file. */
  stat(): Stats | null;
  map(): LogMap;
  /** The offset behind the last byte that is still there: less than `bytes` once the file was removed or made shorter. */
  presentBytes(): number;
  /**
   * What begins at `offset`: of bytes no more than `maxBytes`, of a gap all. What somebody has taken away is a gap as well. `null`
   * at the end, and where reading failed for now: then `readTrouble` says why, and it is worth another try.
   */
  read(offset: number, maxBytes: number): FileSpan | null;
  /** Puts other bytes where as many stand and nobody takes any away. @throws what the system says. */
  replace(offset: number, bytes: Uint8Array): void;
  /** Why the last attempt to look at a file that was there, or should be, has failed, or what is missing of it. */
  readonly problem: string | null;
  readonly readError: string | null;
}

/** Answers with a descriptor; throws as the system does. */
export type OpenFile = (path: string) => number;

const openToRead: OpenFile = (path) => openPrivateFile(path, 'read');

export function createTailedFile({
  path,
  statusPath,
  isExpected,
  openFile = openToRead,
}: {
  path: string;
  statusPath: string | null;
  /** It should be there already. */
  isExpected: boolean;
  openFile?: OpenFile;
}): TailedFile {
  let longestSeenBytes = 0;
  let hasBeenThere = isExpected;
  let isMissing = true;
  let statError: string | null = null;
  let shortenedProblem: string | null = null;
  let mapError: string | null = null;
  let readError: string | null = null;
  let statusSize = -1;
  let current: LogMap = parseLogMap('');

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

  /** Read again when it has grown: whoever takes something out of the log says so there first. */
  function map(): LogMap {
    if (statusPath === null) return current;
    try {
      const { size } = lstatSync(statusPath);
      if (size !== statusSize) {
        current = parseLogMap(readWhole(statusPath));
        statusSize = size;
      }
      mapError = null;
    } catch (error) {
      // Where nobody has written there, nothing was taken out.
      const { code, message } = error as NodeJS.ErrnoException;
      mapError = code === 'ENOENT' ? null : message;
    }
    return current;
  }

  function readWhole(file: string): string {
    const descriptor = openFile(file);
    try {
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  }

  function presentBytes(): number {
    const stats = stat();
    if (stats === null) return isMissing ? 0 : longestSeenBytes;
    const present = stats.size + map().shift;
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
    const before = map();
    if (mapError !== null) {
      readError = mapError;
      return null;
    }
    const span = readBy(before, { offset, maxBytes });
    // A gap is written down before its bytes are gone: what was read is good if there still is no gap.
    return map() === before ? span : read(offset, maxBytes);
  }

  function readBy(by: LogMap, { offset, maxBytes }: { offset: number; maxBytes: number }): FileSpan | null {
    const gap = by.gaps.find(({ to }) => to > offset);
    if (gap !== undefined && gap.from <= offset) return { type: 'gap', from: offset, to: gap.to };
    const { tail, headBytes, shift } = by;
    const isInTail = tail !== null && offset >= tail.from && offset < tail.to;
    const ends = [offset + maxBytes, gap?.from ?? Number.POSITIVE_INFINITY];
    if (isInTail) ends.push(tail.to);
    else if (shift > 0 && offset < headBytes) ends.push(headBytes);
    const { file, position } = placeOf(by, offset);
    const found = readRange(file, { position, length: Math.min(...ends) - offset });
    if (found === null) return null;
    if (found.byteLength > 0) return { type: 'bytes', offset, bytes: found };
    const missingTo = tail === null || offset >= tail.to ? bytes() : isInTail ? tail.to : tail.from;
    return missingTo > offset ? { type: 'gap', from: offset, to: missingTo } : null;
  }

  function placeOf({ tail, headBytes, shift }: LogMap, offset: number) {
    if (tail !== null && offset >= tail.from && offset < tail.to)
      return { file: tailPathOf(path), position: offset - tail.from };
    return { file: path, position: offset < headBytes ? offset : offset - shift };
  }

  function replace(offset: number, bytes: Uint8Array): void {
    const { file, position } = placeOf(map(), offset);
    const descriptor = openPrivateFile(file, 'change');
    try {
      writeSync(descriptor, bytes, 0, bytes.byteLength, position);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Nothing where the file ends before, or is no longer there; `null` when reading failed. */
  function readRange(file: string, range: { position: number; length: number }): Uint8Array | null {
    let descriptor: number | null = null;
    try {
      descriptor = openFile(file);
      const buffer = Buffer.allocUnsafeSlow(range.length);
      const count = readSync(descriptor, buffer, { ...range, offset: 0 });
      readError = null;
      return buffer.subarray(0, count);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      readError = code === 'ENOENT' ? null : message;
      return code === 'ENOENT' ? noBytes : null;
    } finally {
      if (descriptor !== null) closeSync(descriptor);
    }
  }

  return {
    path,
    bytes,
    presentBytes,
    stat,
    map,
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

const noBytes = new Uint8Array(0);

/** Counted in one call; at some 2 GB/s that is 2 ms. */
const mostBytesAtOnce = 4 * 1024 * 1024;
const pieceBytes = 256 * 1024;

/** Counts the newlines of a file that is not read otherwise. */
export interface LineCounter {
  /**
   * `null` while not all of it is counted: each call continues where the last one stopped. What was taken out of the file before it
   * was counted leaves `null` for good.
   */
  count(upTo: number): number | null;
}

export function createLineCounter(file: TailedFile): LineCounter {
  let counted = 0;
  let lines = 0;
  let isWhole = true;
  return {
    count: (upTo) => {
      if (!isWhole) return null;
      const stop = Math.min(upTo, counted + mostBytesAtOnce);
      while (counted < stop) {
        const span = file.read(counted, Math.min(pieceBytes, stop - counted));
        if (span === null) break;
        if (span.type === 'gap') {
          isWhole = false;
          return null;
        }
        lines += countNewlines(span.bytes);
        counted += span.bytes.byteLength;
      }
      return counted >= upTo ? lines : null;
    },
  };
}
