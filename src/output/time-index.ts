import type { Clock } from '../clock/clock.ts';
import { appendPrivateFile, readPrivateFile } from '../store/private-files.ts';
import { systemFiles } from '../store/record-files.ts';
import { replaceFile } from '../store/replace-file.ts';
import {
  type IndexedMark,
  type LengthMark,
  type MovedBytes,
  parseTimeIndex,
  thinMarks,
  toMarkLine,
  toMovedLine,
} from './log-times.ts';

/** With more lines, the index is halved. */
const mostLines = 4096;

/**
 * The file beside a log that says when its output came. Nothing throws: a mark that could not be written is left out, which makes times less
 * exact and never wrong.
 */
export interface TimeIndex {
  add(mark: IndexedMark): void;
  /** The log file was changed: what was said of positions is moved. */
  move(moved: MovedBytes): void;
  /** Nothing where there is no index, or it cannot be read. */
  read(): readonly IndexedMark[];
}

export function createTimeIndex(path: string): TimeIndex {
  let lines: number | null = null;
  /** No mark may be written before them: it would be moved as well. */
  let unwritten: readonly MovedBytes[] = [];

  function append(text: string): boolean {
    try {
      lines ??= countLines(readText(path));
      if (lines >= mostLines) rewrite();
      // One by one: of those that a full disk took, none may be written again.
      for (const moved of unwritten) {
        appendPrivateFile(path, toMovedLine(moved));
        unwritten = unwritten.slice(1);
        lines += 1;
      }
      appendPrivateFile(path, text);
      lines += 1;
      return true;
    } catch {
      return false;
    }
  }

  function rewrite(): void {
    const marks = thinMarks(parseTimeIndex(readText(path)));
    replaceFile({ path, bytes: Buffer.from(marks.map(toMarkLine).join('')), files: systemFiles });
    lines = marks.length;
  }

  return {
    add: (mark) => void append(toMarkLine(mark)),
    move: (moved) => {
      if (!append(toMovedLine(moved))) unwritten = [...unwritten, moved];
    },
    read: () => {
      try {
        return parseTimeIndex(readText(path));
      } catch {
        return [];
      }
    },
  };
}

function readText(path: string): string {
  try {
    return readPrivateFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function countLines(text: string): number {
  return text.split('\n').filter((line) => line !== '').length;
}

/** Marks the lengths of a log that its process writes itself, each time somebody looks at it. */
export interface LengthMarks {
  observe(bytes: number): void;
  /** Writes down what was seen last, for the next supervisor. */
  finish(): void;
  /** What is not in the index yet. */
  readonly current: LengthMark | null;
}

export function createLengthMarks({ index, clock }: { index: TimeIndex; clock: Clock }): LengthMarks {
  let current: LengthMark | null = null;

  function save(): void {
    if (current !== null) index.add({ ...current, position: current.offset });
  }

  return {
    observe: (bytes) => {
      const at = clock.epochMs();
      if (current !== null && bytes === current.offset) {
        current = { ...current, until: at };
        return;
      }
      save();
      current = { offset: bytes, since: at, until: at };
    },
    finish: () => {
      if (current !== null && current.offset > 0) save();
      current = null;
    },
    get current() {
      return current;
    },
  };
}
