import type { StreamPositions } from './output-chunk.ts';

export interface ReadOptions {
  /**
   * Start of the read: an offset (the `to` of an earlier read), positions, or a reader's cursor. Default: the
   * beginning.
   */
  readonly since?: number | StreamPositions | 'last';
  readonly stream?: 'stdout' | 'stderr' | 'screen' | 'both';
  /** Reads only the last lines, including an unfinished one. */
  readonly tail?: number;
  /** Maximum number of lines; the next read continues after them. Same as `limit`. */
  readonly lines?: number;
  /** Skips the first lines. */
  readonly offset?: number;
  readonly limit?: number;
  /**
   * Reads only lines that match this regular expression, without escape sequences; the options above then
   * count matching lines.
   */
  readonly grep?: string;
  readonly ignoreCase?: boolean;
  /** Lines shown around each match. */
  readonly context?: number;
  /** `plain` (default): as a terminal shows it, see `toPlainText`. `raw`: as written. */
  readonly format?: 'plain' | 'raw';
  /** Longer texts keep head and tail. UTF-8 bytes, 32 KiB by default. */
  readonly maxBytes?: number;
}

/** The output between two offsets. Plain data: it can be kept, sent, and acknowledged later. */
export interface OutputRead {
  readonly text: string;
  readonly from: number;
  /** A read `since` this continues without loss or repetition, even within a character. */
  readonly to: number;
  /** Bytes between `from` and `to` that were no longer in memory; a line in the text says where. */
  readonly droppedBytes: number;
  /**
   * Bytes that the text does not show: dropped ones and those beyond `maxBytes`. A search counts only what it
   * found.
   */
  readonly omittedBytes: number;
  /** The text was longer than `maxBytes`, or a file was too long to examine everything requested. */
  readonly truncated: boolean;
  /** The process has ended, and this read reaches the end of its output. */
  readonly ended: boolean;
  /** A sentence why nothing could be read; then the text is empty and the cursor stays. */
  readonly problem: string | null;
  readonly positions: StreamPositions;
}
