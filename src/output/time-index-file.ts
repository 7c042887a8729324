import type { Clock } from '../clock/clock.ts';
import { appendPrivateFile, readPrivateFile } from '../store/private-files.ts';
import { systemFiles } from '../store/record-files.ts';
import { replaceFile } from '../store/replace-file.ts';
import {
  type IndexedMark,
  type LengthMark,
  type MovedBytes,
  type OutputTimes,
  parseTimeIndex,
  thinMarks,
  toLengthMarks,
  toMarkLine,
  toMovedLine,
} from './output-times.ts';

/** Maximum number of lines before the index is halved. */
const maxLines = 4096;

/**
 * The file beside a log that stores arrival times of its output. Never throws: an unwritten mark is dropped,
 * which makes times less exact but never wrong.
 */
export class TimeIndex {
  readonly #path: string;
  #lines: number | null = null;
  /** Written before any further mark, which would be moved as well otherwise. */
  #unwritten: readonly MovedBytes[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  add(mark: IndexedMark): void {
    this.#append(toMarkLine(mark));
  }

  /** Moves recorded positions after a change of the log file. */
  move(moved: MovedBytes): void {
    if (!this.#append(toMovedLine(moved))) this.#unwritten = [...this.#unwritten, moved];
  }

  /** Returns all marks; none if there is no readable index. */
  read(): readonly IndexedMark[] {
    try {
      return parseTimeIndex(readText(this.#path));
    } catch {
      return [];
    }
  }

  #append(text: string): boolean {
    try {
      this.#lines ??= countLines(readText(this.#path));
      if (this.#lines >= maxLines) this.#rewrite();
      // Written one by one, so that a full disk causes none to be written twice.
      for (const moved of this.#unwritten) {
        appendPrivateFile(this.#path, toMovedLine(moved));
        this.#unwritten = this.#unwritten.slice(1);
        this.#lines += 1;
      }
      appendPrivateFile(this.#path, text);
      this.#lines += 1;
      return true;
    } catch {
      return false;
    }
  }

  #rewrite(): void {
    const marks = thinMarks(parseTimeIndex(readText(this.#path)));
    replaceFile({ path: this.#path, bytes: Buffer.from(marks.map(toMarkLine).join('')), files: systemFiles });
    this.#lines = marks.length;
  }
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

/** Marks the lengths of a log that its process writes itself, at each observation. */
export class LengthMarks {
  readonly #index: TimeIndex;
  readonly #clock: Clock;
  #current: LengthMark | null = null;

  constructor(index: TimeIndex, clock: Clock) {
    this.#index = index;
    this.#clock = clock;
  }

  observe(bytes: number): void {
    const at = this.#clock.epochMs();
    if (this.#current?.offset === bytes) this.#current = { ...this.#current, until: at };
    else {
      this.#save();
      this.#current = { offset: bytes, since: at, until: at };
    }
  }

  /** Writes the last observation for the next supervisor. */
  finish(): void {
    if (this.#current?.offset !== 0) this.#save();
    this.#current = null;
  }

  /** Returns the arrival times; `lastAt` is that of the last byte. */
  times(lastAt: number | null): OutputTimes {
    const unwritten = this.#current === null ? [] : [toIndexed(this.#current)];
    return { marks: toLengthMarks([...this.#index.read(), ...unwritten], 'offset'), lastAt };
  }

  #save(): void {
    if (this.#current !== null) this.#index.add(toIndexed(this.#current));
  }
}

/** Takes the offset for the position: a log that its process writes has each byte at its offset. */
function toIndexed(mark: LengthMark): IndexedMark {
  return { ...mark, position: mark.offset };
}

/** The index gets at most one mark in this time, and none without new output. */
const markIntervalMs = 1_000;

/** Marks the arrival times of output that is written to a log file through a queue. */
export class WriteMarks {
  readonly #clock: Clock;
  readonly #index: TimeIndex;
  #arrivedBytes = 0;
  #lastWriteAtMs: number;
  #markedAtMs = Number.NEGATIVE_INFINITY;
  /** Marks not in the index yet, with the queued bytes before them. */
  #pending: readonly (LengthMark & { readonly afterBytes: number })[] = [];

  constructor(path: string, clock: Clock) {
    this.#clock = clock;
    this.#index = new TimeIndex(path);
    this.#lastWriteAtMs = clock.nowMs();
  }

  /** Registers output that arrives behind `queuedBytes`. Reads the wall clock for marks only, since writes are frequent. */
  arrive(bytes: number, { nowMs, queuedBytes }: { nowMs: number; queuedBytes: number }): void {
    if (nowMs - this.#markedAtMs >= markIntervalMs) {
      const until = this.#clock.epochMs();
      const since = until - (nowMs - this.#lastWriteAtMs);
      this.#pending = [
        ...this.#pending,
        { offset: this.#arrivedBytes, since, until, afterBytes: queuedBytes },
      ];
      this.#markedAtMs = nowMs;
    }
    this.#lastWriteAtMs = nowMs;
    this.#arrivedBytes += bytes;
  }

  /** Bytes to write before the next mark is due; `null` if there is none. */
  get nextAfterBytes(): number | null {
    return this.#pending[0]?.afterBytes ?? null;
  }

  /** Registers that bytes have left the queue. */
  leaveQueue(bytes: number): void {
    this.#pending = this.#pending.map((mark) => ({ ...mark, afterBytes: mark.afterBytes - bytes }));
  }

  /** Writes the marks that are due at a position of the log file. */
  writeDue(position: number): void {
    for (let mark = this.#pending[0]; mark !== undefined && mark.afterBytes <= 0; mark = this.#pending[0]) {
      this.#index.add({ ...mark, position });
      this.#pending = this.#pending.slice(1);
    }
  }

  move(moved: MovedBytes): void {
    this.#index.move(moved);
  }

  /** Returns the arrival times by offset; `position` is the end of the log file. */
  times(position: number): OutputTimes {
    const unwritten = this.#pending.map((mark) => ({ ...mark, position }));
    return {
      marks: toLengthMarks([...this.#index.read(), ...unwritten], 'offset'),
      lastAt:
        this.#arrivedBytes === 0 ? null : this.#clock.epochMs() - (this.#clock.nowMs() - this.#lastWriteAtMs),
    };
  }
}
