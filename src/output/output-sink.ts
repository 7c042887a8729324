/** The origin of a piece of output. `screen` is the byte stream of a terminal, which combines the other two. */
export type OutputStream = 'stdout' | 'stderr' | 'screen';

/** The sink into which a backend writes output, without ever waiting. */
export interface OutputSink {
  /**
   * Takes ownership of the bytes: the caller must not change them afterwards. Never throws. `false` asks the
   * backend to pause the source until `whenWritable` calls back: a log disk cannot keep up, for at most a
   * second, or a reader that loses nothing is behind, for as long as it takes.
   */
  write(stream: OutputStream, bytes: Uint8Array): boolean;
  /** Calls back once, when writing may resume after `write` answered `false`. */
  whenWritable(callback: () => void): void;
  /** True between a `write` that answered `false` and the callback: bytes may wait in the source. */
  readonly isBackpressured: boolean;
  /**
   * The offset of the next byte in the whole log as shown: across all attempts, with marks in place of
   * secrets.
   */
  readonly bytes: number;
  /** `nowMs` of the last byte that arrived, or of the sink's creation. */
  readonly lastWriteAtMs: number;
}
