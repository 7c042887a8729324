import type { OutputDegradation } from './output-store.ts';

/** Output that a log file lacks because writing failed, and the first reason. */
export class LogLosses {
  readonly #onDegraded: ((degradation: OutputDegradation) => void) | undefined;
  #degraded: { readonly what: string; readonly error: string } | null = null;
  #lostBytes = 0;
  #unwrittenBytes = 0;
  #reason = '';
  #intactBytes: number | null = null;

  /** `onDegraded` is called once, at the first failure. */
  constructor(onDegraded: ((degradation: OutputDegradation) => void) | undefined) {
    this.#onDegraded = onDegraded;
  }

  get degraded(): OutputDegradation | null {
    return this.#degraded === null ? null : { ...this.#degraded, missingBytes: this.#lostBytes };
  }

  /** Bytes lost since the last byte in the file: a line about them precedes the next write. */
  get unwrittenBytes(): number {
    return this.#unwrittenBytes;
  }

  /** The latest reason. */
  get reason(): string {
    return this.#reason;
  }

  /** Output before the first loss; `null` while nothing is lost. */
  get intactBytes(): number | null {
    return this.#intactBytes;
  }

  degrade(what: string, error: string): void {
    this.#reason = what;
    if (this.#degraded !== null) return;
    this.#degraded = { what, error };
    queueMicrotask(() => this.#onDegraded?.({ what, error, missingBytes: this.#lostBytes }));
  }

  /** Adds lost bytes that follow `writtenBytes` of output in the file. */
  add(bytes: number, writtenBytes: number): void {
    if (bytes === 0) return;
    this.#intactBytes ??= writtenBytes;
    this.#unwrittenBytes += bytes;
    this.#lostBytes += bytes;
  }

  /** Marks the output written earlier as lost, too. */
  loseAll(): void {
    this.#intactBytes = 0;
  }

  /** The file has a line about this many lost bytes. */
  noteWritten(bytes: number): void {
    this.#unwrittenBytes -= bytes;
  }
}
