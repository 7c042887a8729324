import { closeSync, openSync, readFileSync, readSync, type Stats, statSync } from 'node:fs';
import { type LogGap, type LogMap, parseLogMap, tailPathOf } from './log-map.ts';

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
  /** What begins at `offset`: of bytes no more than `maxBytes`, of a gap all; `null` where nothing can be read. */
  read(offset: number, maxBytes: number): FileSpan | null;
  /** Why the last attempt to look at a file that was there, or should be, has failed. */
  readonly trouble: string | null;
}

export function createTailedFile({
  path,
  statusPath,
  isExpected,
}: {
  path: string;
  statusPath: string | null;
  /** It should be there already. */
  isExpected: boolean;
}): TailedFile {
  let mostBytes = 0;
  let hasBeenThere = isExpected;
  let trouble: string | null = null;
  let statusSize = -1;
  let current: LogMap = parseLogMap('');

  function stat(): Stats | null {
    try {
      const stats = statSync(path);
      hasBeenThere = true;
      trouble = null;
      return stats;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || hasBeenThere) trouble = code === 'ENOENT' ? `${path} was removed` : message;
      return null;
    }
  }

  /** Read again when it has grown: whoever takes something out of the log says so there first. */
  function map(): LogMap {
    if (statusPath === null) return current;
    try {
      const { size } = statSync(statusPath);
      if (size === statusSize) return current;
      current = parseLogMap(readFileSync(statusPath, 'utf8'));
      statusSize = size;
    } catch {
      // Nobody has written there: nothing was taken out.
    }
    return current;
  }

  function bytes(): number {
    const stats = stat();
    if (stats !== null) mostBytes = Math.max(mostBytes, stats.size + map().shift);
    return mostBytes;
  }

  function read(offset: number, maxBytes: number): FileSpan | null {
    const before = map();
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
    const position = isInTail ? offset - tail.from : offset < headBytes ? offset : offset - shift;
    const file = isInTail ? tailPathOf(path) : path;
    const found = readRange(file, { position, length: Math.min(...ends) - offset });
    return found === null || found.byteLength === 0 ? null : { type: 'bytes', offset, bytes: found };
  }

  function readRange(file: string, range: { position: number; length: number }): Uint8Array | null {
    let descriptor: number | null = null;
    try {
      descriptor = openSync(file, 'r');
      const buffer = Buffer.allocUnsafeSlow(range.length);
      const count = readSync(descriptor, buffer, { ...range, offset: 0 });
      return buffer.subarray(0, count);
    } catch (error) {
      if (hasBeenThere) trouble = (error as Error).message;
      return null;
    } finally {
      if (descriptor !== null) closeSync(descriptor);
    }
  }

  return {
    path,
    bytes,
    stat,
    map,
    read,
    get trouble() {
      return trouble;
    },
  };
}
