import type { StreamPositions } from './output-chunk.ts';

/** Options of a read. */
export interface ReadOptions {
  /**
   * Start of the read: an offset (the `to` of an earlier read), positions, or a reader's cursor. Default: the
   * beginning.
   */
  readonly since?: number | StreamPositions | 'last';
  /** The stream to read. Default `both`, in order of arrival; with a terminal, `screen`. */
  readonly stream?: 'stdout' | 'stderr' | 'screen' | 'both';
  /** Number of last lines to read, including an unfinished one. Default: all. */
  readonly tail?: number;
  /** Maximum number of lines; the next read continues after them. Same as `limit`. Default: all. */
  readonly lines?: number;
  /** Number of first lines to skip. Default 0. */
  readonly offset?: number;
  /** Maximum number of lines; the next read continues after them. Default: all. */
  readonly limit?: number;
  /**
   * Reads only lines that match this regular expression, without escape sequences; the options above then
   * count matching lines. Default: all lines.
   */
  readonly grep?: string;
  /** Lets `grep` match upper and lower case alike. Default `false`. */
  readonly ignoreCase?: boolean;
  /** Number of lines shown around each match. Default 0. */
  readonly context?: number;
  /** `plain`: as a terminal shows it, without escape sequences. `raw`: as written. Default `plain`. */
  readonly format?: 'plain' | 'raw';
  /** UTF-8 bytes of the text at most; longer texts keep head and tail. Default 32 KiB. */
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
