/** Where a piece of output came from. `screen` is the byte stream of a terminal, in which the two others are one. */
export type OutputStream = 'stdout' | 'stderr' | 'screen';

/** The end of the byte river that a backend sees: it pours in, and never waits. */
export interface OutputSink {
  /**
   * Takes the bytes over: the caller must not change them afterwards. Never throws.
   * `false` asks the backend to hold the source until `whenWritable` calls back; only a log disk that cannot keep
   * up asks for that, and not for longer than a second.
   */
  write(stream: OutputStream, bytes: Uint8Array): boolean;
  /** Calls back once, when `write` may go on after it answered `false`. */
  whenWritable(callback: () => void): void;
  /** Between a `write` that answered `false` and the call back: bytes may wait in the source. */
  readonly isBackpressured: boolean;
  /** The offset of the next byte in the whole log, as it is shown: over all attempts, with marks where secrets were. */
  readonly bytes: number;
  /** `nowMs` of the last byte that arrived, or of the sink's creation. */
  readonly lastWriteAtMs: number;
}
