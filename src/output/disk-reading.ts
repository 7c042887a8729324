import type { Cancel } from '../clock/clock.ts';
import type { OutputStream } from './output-sink.ts';

/** What readers of a log must know whose bytes are in a file only: there may be any number of them, and reading can fail. */
export interface DiskReading {
  /** Of which all of it is, so that its positions are offsets. */
  readonly stream: OutputStream;
  /** Why the last read failed; `null` when it did not. */
  readonly readTrouble: string | null;
  /** Of the bytes between two offsets those that are no longer there, without reading any. */
  droppedBytesBetween(from: number, to: number): number;
  /** Which bytes are no longer there around an offset; `null` where it is. */
  gapAt(offset: number): { readonly from: number; readonly to: number } | null;
  /** Calls back once, after a pause, when a read has failed. Keeps the program alive only once the log is finished. */
  tryLater(callback: () => void): Cancel;
}

/** Walked in one turn of the event loop; some 2 ms, and 20 ms where every line is looked at. */
export const mostBytesATurn = 1024 * 1024;
export const retryPauseMs = 250;
/** Once nobody writes any more and reading fails so often in a row, five seconds, the rest is given up as a gap. */
export const mostFailuresAtEnd = 20;
