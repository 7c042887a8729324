import { closeSync, lstatSync, readFileSync } from 'node:fs';
import { openPrivateFile } from '../store/private-files.ts';
import { findNotices, longestNoticeBytes } from './log-cap.ts';
import { type FileSpan, type LogLine, type LogMap, mapLines, parseLogMap, wholeLog } from './log-map.ts';
import type { IndexedMark } from './output-times.ts';

/** Opens a file and returns its descriptor; throws the system's error. */
export type OpenFile = (path: string) => number;

export const openToRead: OpenFile = (path) => openPrivateFile(path, 'read');

/** Tells where the bytes of a log are now. Returns the same map until it changes. */
export interface LogMapReader {
  read(): LogMap;
  /** Reason why the last read failed; the map stays as it was before. */
  readonly error: string | null;
}

/** Reads the map of a log again when its status file has grown: gaps are recorded before bytes are removed. */
export class StatusMapReader implements LogMapReader {
  readonly #statusPath: string | null;
  readonly #openFile: OpenFile;
  #size = -1;
  #map = wholeLog;
  #error: string | null = null;

  constructor(statusPath: string | null, openFile: OpenFile = openToRead) {
    this.#statusPath = statusPath;
    this.#openFile = openFile;
  }

  get error(): string | null {
    return this.#error;
  }

  /** True once a status file was read: only the log of a process that writes it itself has one. */
  get isThere(): boolean {
    return this.#size !== -1;
  }

  read(): LogMap {
    if (this.#statusPath === null) return this.#map;
    try {
      // Without a status file, nothing was removed from the log.
      const size = lstatSync(this.#statusPath, { throwIfNoEntry: false })?.size ?? this.#size;
      if (size !== this.#size) {
        this.#map = parseLogMap(this.#readWhole(this.#statusPath));
        this.#size = size;
      }
      this.#error = null;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#error = code === 'ENOENT' ? null : message;
    }
    return this.#map;
  }

  #readWhole(path: string): string {
    const descriptor = this.#openFile(path);
    try {
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  }
}

/** A log file as it is, with our notices among the output. */
interface WholeFile {
  stat(): { readonly size: number } | null;
  read(offset: number, maxBytes: number): FileSpan | null;
  readonly readError: string | null;
}

/** Bytes searched in one step. */
const stepBytes = 1024 * 1024;
/** Limit of notices. No supervisor writes so many; a process may print more to imitate one. */
const maxNotices = 4_096;

/**
 * Finds the notices in a log without a status file, which a supervisor has written, and with them the offsets of its output. The process may
 * have printed lines that look the same. A line therefore counts only if the lengths in the index of times confirm it. A log whose index
 * contradicts the lines, or that has no index, is read as it is.
 */
export class NoticeMapReader implements LogMapReader {
  readonly #status: StatusMapReader;
  readonly #file: WholeFile;
  readonly #readMarks: () => readonly IndexedMark[];
  #size = -1;
  #map = wholeLog;

  constructor(read: {
    readonly status: StatusMapReader;
    readonly file: WholeFile;
    readonly marks: () => readonly IndexedMark[];
  }) {
    this.#status = read.status;
    this.#file = read.file;
    this.#readMarks = read.marks;
  }

  get error(): string | null {
    return this.#status.error ?? this.#file.readError;
  }

  read(): LogMap {
    const recorded = this.#status.read();
    if (this.#status.isThere || this.#status.error !== null) return recorded;
    const size = this.#file.stat()?.size ?? 0;
    if (size === this.#size) return this.#map;
    const marks = this.#readMarks();
    const lines = marks.length === 0 ? [] : this.#findLines(marks, size);
    if (lines === null) return this.#map;
    this.#size = size;
    const isTrue = lines.length <= maxNotices && marks.every((mark) => isAt(mark, lines));
    this.#map = isTrue ? mapLines(lines) : wholeLog;
    return this.#map;
  }

  /** Searches only where offsets and positions differ, and after the last mark. Returns `null` if reading fails. */
  #findLines(marks: readonly IndexedMark[], size: number): readonly LogLine[] | null {
    const lines: LogLine[] = [];
    let before = { offset: 0, position: 0 };
    for (const mark of [...marks, { offset: Number.NaN, position: size }]) {
      const isParting = mark.offset - mark.position !== before.offset - before.position;
      const found = isParting ? this.#findBetween(before.position, mark.position) : [];
      if (found === null) return null;
      lines.push(...found);
      before = mark;
    }
    return lines;
  }

  #findBetween(from: number, to: number): readonly LogLine[] | null {
    const lines: LogLine[] = [];
    for (let at = from; at < to; ) {
      const span = this.#file.read(at, Math.min(stepBytes, to - at));
      if (span?.type !== 'bytes') return this.#file.readError === null ? lines : null;
      const part = Buffer.from(span.bytes.buffer, span.bytes.byteOffset, span.bytes.byteLength);
      lines.push(...findNotices(part).map((line) => ({ ...line, at: line.at + at })));
      const end = at + part.byteLength;
      // A notice may reach across the end of the part: the next one begins before it, but behind all found.
      const found = lines.at(-1);
      const next = Math.max(end - longestNoticeBytes, found === undefined ? 0 : found.at + found.bytes);
      at = end < to ? Math.max(next, at + 1) : end;
    }
    return lines;
  }
}

/** Returns true if the output was as long as a mark says at its position. */
function isAt({ offset, position }: IndexedMark, lines: readonly LogLine[]): boolean {
  let drift = 0;
  for (const { at, bytes, missingBytes } of lines) {
    if (position < at) break;
    const from = at + drift;
    if (position <= at + bytes && offset >= from && offset <= from + missingBytes) return true;
    drift += missingBytes - bytes;
  }
  return offset === position + drift;
}
