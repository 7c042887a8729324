import type { Cancel } from '../clock/clock.ts';
import type { OutputDegradation } from './log-file.ts';
import type { OutputTimes } from './log-times.ts';
import type { OutputChunk, OutputPiece, StreamPositions } from './output-chunk.ts';
import type { OutputSink, OutputStream } from './output-sink.ts';

export interface OutputStats {
  /** All that arrived, of all streams. */
  readonly bytes: number;
  /** Newlines in all that arrived; `null` where not all of it was counted. */
  readonly lines: number | null;
  /** No longer in memory, or in a file where all of it is. */
  readonly droppedBytes: number;
  /** `nowMs` of the last byte, `null` when none has come. */
  readonly lastOutputAtMs: number | null;
  /** The file, once it is there and as long as nobody has removed it. */
  readonly logFile: string | null;
  readonly degraded: OutputDegradation | null;
  /** Whether some stream, by what is kept of it, is not text. */
  readonly binary: boolean;
}

/**
 * All output of one process, over all its restarts, in order of arrival. Memory is bounded whatever the process writes:
 * of each stream the head and the newest tail are kept, exactly `maxBufferBytes` together; the rest is counted.
 */
export interface OutputLog extends OutputSink {
  /** The offset of the next byte. */
  readonly bytes: number;
  readonly positions: StreamPositions;
  /**
   * The process has ended: what comes now is labelled `afterEnd` and displaces nothing that came before. An end that could be
   * the beginning of a secret is shown now, or with `keep`, when processes left behind may go on with it, once more comes or
   * at `close`.
   */
  markEnd(held?: 'flush' | 'keep'): void;
  /**
   * Hides one more from now on. What was written before stands in the file as it was, and is hidden in texts that are shown. A log that its
   * process writes itself covers it in all that is read of it, however old.
   */
  addSecret(secret: string): void;
  /** What is hidden. */
  readonly secrets: readonly string[];
  /** A text made of this output as it may be shown: taking out control characters can put a secret together again. */
  redact(text: string): string;
  /** The process runs again: labels go off, subscriptions stay open. */
  markRestart(): void;
  /** Everything that the process itself wrote is here: subscribers complete. Late output is still taken in. */
  finish(): void;
  /** Resolves when all that was written so far is in the log file, or given up. Bounded like `close`. */
  flush(): Promise<void>;
  /** Nothing more is taken in: subscribers complete, the log file is flushed and closed. Settles always. */
  close(): Promise<void>;
  /** `markEnd` was called for the current run. */
  readonly ended: boolean;
  /** `finish` or `close` was called for the current run. */
  readonly finished: boolean;
  stats(): OutputStats;
  /** What it holds in memory. */
  readonly keptBytes: number;
  /** `null` where all that is kept is in memory. */
  readonly onDisk: DiskAccess | null;
  /** For a process that ended long ago: keeps the heads, and of the rest only the newest bytes of each stream. */
  shrink(tailBytes: number): void;
  /** The same as in `stats`. */
  readonly logFile: string | null;
  /** Bytes of the output that the log file does not have: given up at its cap, or lost by a fault. What is still to be written counts as there. */
  readonly missingInFile: number;
  /** When the output came, by its offsets. Of what is in memory alone nothing is known. */
  times(): OutputTimes;
  /**
   * What is kept from an offset, or from the positions of a reader, on; a gap stands for what is not. A gap is exact, but
   * from an offset in one stream where two were dropped it can be too long; positions are always exact.
   * To be walked at once: what arrives during the walk may or may not be in it. It stops early only where `onDisk` has trouble.
   */
  chunks(from: number | StreamPositions, stream?: OutputStream): Iterable<OutputPiece>;
  /** What is kept from the newest chunk to the oldest. */
  chunksBackward(stream?: OutputStream): Iterable<OutputChunk>;
  /**
   * Of an output kept in memory: reads from its log file what comes next at these positions and before the offset `before`, the earliest of
   * the streams. A gap where the file has one. `null` where there is nothing, or the file cannot tell its stream.
   */
  readBack(
    positions: StreamPositions,
    options: { readonly before: number; readonly stream?: OutputStream | undefined },
  ): Promise<OutputPiece | null>;
  positionsAt(offset: number): StreamPositions;
  /** Called after each write, at `finish` and at `close`; must be quick. */
  onWrite(listener: () => void): Cancel;
}

/** What readers of a log must know whose bytes are in a file only: there may be any number of them, and reading can fail. */
export interface DiskAccess {
  /** Of which all of it is, so that its positions are offsets. */
  readonly stream: OutputStream;
  /** Why the last read failed; `null` when it did not. */
  readonly readError: string | null;
  /** Of the bytes between two offsets those that are no longer there, without reading any. */
  droppedBytesBetween(from: number, to: number): number;
  /** Which bytes are no longer there around an offset; `null` where it is. */
  gapAt(offset: number): { readonly from: number; readonly to: number } | null;
  /** Calls back once, after a pause, when a read has failed. Keeps the program alive only once the log is finished. */
  retryLater(callback: () => void): Cancel;
}

/** Walked in one turn of the event loop; some 2 ms, and 20 ms where every line is looked at. */
export const maxBytesPerTurn = 1024 * 1024;
export const retryPauseMs = 250;
/** Once nobody writes any more and reading fails so often in a row, five seconds, the rest is given up as a gap. */
export const maxFinalReadFailures = 20;
