import type { StreamPositions } from './output-chunk.ts';

export interface ReadOptions {
  /** Where to begin: an offset (the `to` of an earlier read), positions, or a reader's cursor. The beginning by default. */
  readonly since?: number | StreamPositions | 'last';
  readonly stream?: 'stdout' | 'stderr' | 'screen' | 'both';
  /** Only the last lines; an unfinished one counts. */
  readonly tail?: number;
  /** Only so many lines; the read ends after them and the next one goes on there. The same as `limit`. */
  readonly lines?: number;
  /** Leave out the first lines of what is read. */
  readonly offset?: number;
  readonly limit?: number;
  /** Only lines that match this regular expression, without escape sequences; the options above then count matching lines. */
  readonly grep?: string;
  readonly ignoreCase?: boolean;
  /** Lines around each match. */
  readonly context?: number;
  /** `plain` (default): as a person would have seen it, see `toPlainText`. `raw`: as it was written. */
  readonly format?: 'plain' | 'raw';
  /** Longer texts keep head and tail. UTF-8 bytes, 32 KiB by default. */
  readonly maxBytes?: number;
}

/** What was read between two offsets. Plain data: it can be kept, sent, and acknowledged later. */
export interface OutputRead {
  readonly text: string;
  readonly from: number;
  /** A read `since` this goes on without loss and without repetition, also in the middle of a character. */
  readonly to: number;
  /** Bytes between `from` and `to` that were no longer in memory; a line in the text says where. */
  readonly droppedBytes: number;
  /** Bytes that the text does not show: those dropped, and those left out to keep to `maxBytes`. A search counts only what it has found. */
  readonly omittedBytes: number;
  /** The text was longer than `maxBytes`, or a file was too long to look through all that was asked for. */
  readonly truncated: boolean;
  /** The process has ended, and this reaches to the end of its output. */
  readonly ended: boolean;
  /** In words why nothing could be read: then the text is empty and the cursor stays. */
  readonly problem: string | null;
  readonly positions: StreamPositions;
}
