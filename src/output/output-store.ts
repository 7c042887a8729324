import type { Cancel } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { OutputChunk, OutputPiece, StreamPositions } from './output-chunk.ts';
import type { HeldPlace, OutputHold } from './output-holds.ts';
import type { OutputStream } from './output-sink.ts';
import type { OutputTimes } from './output-times.ts';

/**
 * The place where the bytes of an output log are: in memory and a log file that we write (`memory-store.ts`), or in a
 * file that another program writes (`file-store.ts`). The log decides what a reader sees.
 */
export interface OutputStore {
  /** The size: bytes of all streams that ever arrived, which is the offset of the next one. */
  readonly bytes: number;
  readonly positions: StreamPositions;
  /** True if the process ended before the store was opened, so that nothing is appended. */
  readonly isOver: boolean;

  /**
   * Appends bytes that arrived at `atMs`, and takes ownership of them. `false` asks the source to pause until
   * `whenWritable`. Ignored by a store that another program writes.
   */
  append(stream: OutputStream, bytes: Uint8Array, atMs: number): boolean;
  whenWritable(callback: () => void): void;
  readonly isBackpressured: boolean;
  /** Labels later output as written before or after the end of the process. */
  setEnded(isEnded: boolean): void;
  /** Accepts the output that an ending process left in its pipes, even if a reader holds the source. */
  setEnding(isEnding: boolean): void;
  /** Calls back when the store grew by other means than `append`; `null` where it never does. */
  readonly watch: ((onGrowth: () => void) => Cancel) | null;
  /**
   * Masks a secret in everything that is read; `null` where all bytes come through `append`, which the log redacts
   * before.
   */
  readonly mask: ((secret: string) => void) | null;

  /** Yields the pieces from these positions on in order of arrival; a gap stands for dropped output. */
  read(from: StreamPositions, streams: readonly OutputStream[]): Iterable<OutputPiece>;
  /** Yields the chunks from the newest to the oldest. */
  readBackward(streams: readonly OutputStream[]): Iterable<OutputChunk>;
  /** Reads the next piece at these positions, before an offset, from a log file; `null` if it has none. */
  readBack(
    positions: StreamPositions,
    options: { readonly before: number; readonly streams: readonly OutputStream[] },
  ): Promise<OutputPiece | null>;
  /** Returns the position of each stream when `offset` bytes had arrived. */
  positionsAt(offset: number): StreamPositions;
  /** `null` if all that `read` yields is in memory. */
  readonly onDisk: DiskAccess | null;

  /** Drops from memory all but the heads and the newest `tailBytes` of each stream. */
  drop(tailBytes: number): void;
  /** Drops nothing that a reader needs from now on. */
  hold(place: HeldPlace): OutputHold;

  /** Bytes in memory. */
  readonly keptBytes: number;
  /** Bytes that the log file lacks; those yet to be written count as present. */
  readonly missingInFile: number;
  /** Path of the log file while it exists. */
  readonly logFile: string | null;
  /** `nowMs` of the last byte in a store that another program writes; `null` if there is none. */
  readonly lastGrowthAtMs: number | null;
  times(): OutputTimes;
  stats(): StoreStats;

  flush(): Promise<void>;
  /** Always settles. */
  close(): Promise<void>;
}

/** Figures of a store. */
export interface StoreStats {
  /** Bytes of all streams that arrived. */
  readonly bytes: number;
  /** Newlines in all output; `null` if not all of it was counted. */
  readonly lines: number | null;
  /** Bytes no longer in memory, or in the file if that has all output. */
  readonly droppedBytes: number;
  /** Path of the log file while it exists. */
  readonly logFile: string | null;
  readonly degraded: OutputDegradation | null;
}

/** Access to output that is only in a file: it can be arbitrarily long, and reading can fail. */
export interface DiskAccess {
  /** The only stream of the log, so that its positions are offsets. */
  readonly stream: OutputStream;
  /** Reason why the last read failed; `null` if it succeeded. */
  readonly readError: string | null;
  /** Returns the number of bytes between two offsets that are gone, without reading any. */
  droppedBytesBetween(from: number, to: number): number;
  /** Returns the gap around an offset; `null` if the byte is there. */
  gapAt(offset: number): { readonly from: number; readonly to: number } | null;
}

/** Reason why the log file is incomplete. Stays set even when writing works again. */
export interface OutputDegradation {
  /** The failure as a clause: `the log file could not be written`. */
  readonly what: string;
  /** The message of the system. */
  readonly error: string;
  /** Bytes of output that are missing in the file because of this or a later failure. */
  readonly missingBytes: number;
}

/** Checks an option in bytes. @throws TroupeError `invalid-option` */
export function checkBytes(name: string, value: number, min: number): void {
  if (Number.isSafeInteger(value) && value >= min) return;
  const message = `${name} must be a whole number of bytes, at least ${min}, got ${value}`;
  throw new TroupeError({ code: 'invalid-option', message });
}
