import type { Cancel } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { OutputChunk, OutputPiece, StreamPositions } from './output-chunk.ts';
import type { HeldPlace, OutputHold } from './output-holds.ts';
import type { OutputSink, OutputStream } from './output-sink.ts';
import type { OutputTimes } from './output-times.ts';

/** Reason why the log file is incomplete. Stays set even when writing works again. */
export interface OutputDegradation {
  /** The failure as a clause: `the log file could not be written`. */
  readonly what: string;
  /** The message of the system. */
  readonly error: string;
  /** Bytes of output that are missing in the file because of this or a later failure. */
  readonly missingBytes: number;
}

/** Formats a degradation for views. */
export function toDegradedText({ what, error }: OutputDegradation): string {
  return `${what}: ${error}`;
}

export interface OutputStats {
  /** Bytes of all streams that arrived. */
  readonly bytes: number;
  /** Newlines in all output; `null` if not all of it was counted. */
  readonly lines: number | null;
  /** Bytes no longer in memory, or in the file if that has all output. */
  readonly droppedBytes: number;
  /** `nowMs` of the last byte, `null` if none has arrived. */
  readonly lastOutputAtMs: number | null;
  /** Path of the log file while it exists. */
  readonly logFile: string | null;
  readonly degraded: OutputDegradation | null;
  /** True if the kept part of a stream is not text. */
  readonly binary: boolean;
}

/**
 * The output of one process across restarts, in order of arrival. Memory is bounded regardless of the amount:
 * of each stream the head and the newest tail are kept, exactly `maxBufferBytes` together, and what `hold`
 * keeps beside them; the rest is counted.
 */
export interface OutputLog extends OutputSink {
  /** The offset of the next byte. */
  readonly bytes: number;
  readonly positions: StreamPositions;
  /**
   * Marks the end of the process: later output is labelled `afterEnd` and displaces nothing before it.
   * Trailing bytes that could begin a secret are shown now, or, with `keep`, once leftovers write more or at
   * `close`.
   */
  markEnd(held?: 'flush' | 'keep'): void;
  /**
   * Redacts one more secret from now on. Earlier output stays in the file as it was, and is redacted in texts
   * that are shown. A log that its process writes itself masks the secret in everything that is read of it,
   * however old.
   */
  addSecret(secret: string): void;
  /** The secrets that are redacted. */
  readonly secrets: readonly string[];
  /** Redacts a text made of this output: removing control characters can reassemble a secret. */
  redact(text: string): string;
  /** Marks a restart: labels are cleared, subscriptions stay open. */
  markRestart(): void;
  /** Marks the output of the process itself as complete: subscribers complete. Late output is still accepted. */
  finish(): void;
  /** Resolves when all output so far is in the log file or given up. Bounded like `close`. */
  flush(): Promise<void>;
  /** Stops accepting output: subscribers complete, the log file is flushed and closed. Always settles. */
  close(): Promise<void>;
  /** True once `markEnd` was called for the current run. */
  readonly ended: boolean;
  /** True once `finish` or `close` was called for the current run. */
  readonly finished: boolean;
  stats(): OutputStats;
  /** Bytes held in memory. */
  readonly keptBytes: number;
  /** `null` if all kept output is in memory. */
  readonly onDisk: DiskAccess | null;
  /** Keeps only the heads and the newest bytes of each stream, for a process that ended long ago. */
  shrink(tailBytes: number): void;
  /** Same as in `stats`. */
  readonly logFile: string | null;
  /**
   * Bytes of output that the log file lacks, dropped at its cap or lost by a failure. Bytes yet to be written
   * count as present.
   */
  readonly missingInFile: number;
  /** Arrival times by offset. Nothing is known about output that is in memory only. */
  times(): OutputTimes;
  /**
   * Yields the kept output from an offset or positions on; a gap stands for dropped output. Positions are
   * exact; from an offset, a gap in one of two streams that dropped bytes can be too long. Consume it
   * synchronously: output that arrives meanwhile may or may not be included. Stops early only if `onDisk`
   * cannot be read.
   */
  chunks(from: number | StreamPositions, stream?: OutputStream): Iterable<OutputPiece>;
  /** Yields the kept output from the newest chunk to the oldest. */
  chunksBackward(stream?: OutputStream): Iterable<OutputChunk>;
  /**
   * Reads the next output at these positions and before the offset `before`, the earliest of the streams,
   * from the log file of an output kept in memory. Returns a gap where the file has one, `null` if there is
   * nothing or the file cannot tell its stream.
   */
  readBack(
    positions: StreamPositions,
    options: { readonly before: number; readonly stream?: OutputStream | undefined },
  ): Promise<OutputPiece | null>;
  positionsAt(offset: number): StreamPositions;
  /**
   * Drops nothing that a reader needs from now on: where memory and file have no room the source is made to
   * wait. A process that writes its own log file is never made to wait; its file may exceed the cap instead.
   */
  hold(place: HeldPlace): OutputHold;
  /** Accepts what the ending process has left in its pipes although a reader holds the source, up to 4 MiB. */
  expectEnd(): void;
  /** Registers a quick listener called after each write, at `finish` and at `close`. */
  onWrite(listener: () => void): Cancel;
}

/** Access to output that is only in a file: it can be arbitrarily long, and reading can fail. */
export interface DiskAccess {
  /** The only stream of the log, so that its positions are offsets. */
  readonly stream: OutputStream;
  /** Reason why the last read failed; `null` if it succeeded. */
  readonly readError: string | null;
  /** Returns how many bytes between two offsets are gone, without reading any. */
  droppedBytesBetween(from: number, to: number): number;
  /** Returns the gap around an offset; `null` if the byte is there. */
  gapAt(offset: number): { readonly from: number; readonly to: number } | null;
  /**
   * Calls back once, after a pause, when a read has failed. Keeps the program alive only once the log is
   * finished.
   */
  retryLater(callback: () => void): Cancel;
}

/** Bytes processed per turn of the event loop: some 2 ms, or 20 ms where every line is examined. */
export const maxBytesPerTurn = 1024 * 1024;
export const retryPauseMs = 250;
/** Consecutive failures after which a finished log gives up the rest as a gap: five seconds. */
export const maxFinalReadFailures = 20;

/** Checks an option in bytes. @throws TroupeError `invalid-option` */
export function checkBytes(name: string, value: number, min: number): void {
  if (Number.isSafeInteger(value) && value >= min) return;
  const message = `${name} must be a whole number of bytes, at least ${min}, got ${value}`;
  throw new TroupeError({ code: 'invalid-option', message });
}
