import type { WriteResult } from '../../machines/process/events.ts';
import { onceAborted } from '../config/abort-signal.ts';
import type { InputSource } from '../config/process-spec.ts';

/** Stdin of one attempt. */
interface FedInput {
  /** Waits until the process has taken all of it. */
  write(data: string | Uint8Array): Promise<WriteResult>;
  end(): Promise<WriteResult>;
}

/** The option `input` of a process. Text and bytes are fed to each attempt, a stream to the first only. */
export class InputFeed {
  readonly #source: InputSource;
  #reader: ChunkReader | null = null;
  #isUsed = false;

  constructor(source: InputSource) {
    this.#source = source;
    // A stream that fails before it is read must not end the program; reading it reports the failure.
    if (isNodeStream(source)) source.on('error', () => {});
  }

  /**
   * Writes the input as fast as it is read, then ends stdin. Stops when the process takes no more, or when `signal` is aborted at the end
   * of the attempt. Rejects if the stream fails; stdin is then still open.
   */
  async feed(stdin: FedInput, signal: AbortSignal): Promise<void> {
    const reader = this.#open();
    const removeListener = onceAborted(signal, () => reader?.cancel());
    try {
      while (reader !== null) {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (done === true) break;
        const result = await stdin.write(toChunk(value));
        if (!result.ok) return reader.cancel();
      }
      await stdin.end();
    } catch (error) {
      reader?.cancel();
      // A cancelled stream may fail as well.
      if (!signal.aborted) throw error;
    } finally {
      removeListener();
    }
  }

  /** Cancels the stream of a process that has ended, even if it was never read. */
  close(): void {
    if (!isStream(this.#source)) return;
    this.#isUsed = true;
    this.#reader ??= openStream(this.#source);
    this.#reader.cancel();
  }

  /** Returns `null` for a stream that an earlier attempt has read: the process reads end-of-file at once. */
  #open(): ChunkReader | null {
    if (!isStream(this.#source)) return readOnce(this.#source);
    if (this.#isUsed) return null;
    this.#isUsed = true;
    this.#reader = openStream(this.#source);
    return this.#reader;
  }
}

/** Returns `true` for an input that can be read only once. */
export function isStream(source: InputSource): source is Exclude<InputSource, string | Uint8Array> {
  return typeof source !== 'string' && !(source instanceof Uint8Array);
}

interface ChunkReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  /** Releases the source; has no effect at its end. */
  cancel(): void;
}

function readOnce(data: string | Uint8Array): ChunkReader {
  let done = false;
  return {
    read: async () => {
      if (done || data.length === 0) return { done: true };
      done = true;
      return { value: data };
    },
    cancel: () => {},
  };
}

function openStream(source: Exclude<InputSource, string | Uint8Array>): ChunkReader {
  if (source instanceof ReadableStream) {
    const reader = source.getReader();
    return { read: () => reader.read(), cancel: () => void reader.cancel().catch(() => {}) };
  }
  const iterator = source[Symbol.asyncIterator]();
  return {
    read: () => iterator.next(),
    cancel: () => {
      // A generator that waits for its next chunk would answer `return` only then.
      if (isNodeStream(source)) source.destroy();
      else void Promise.resolve(iterator.return?.()).catch(() => {});
    },
  };
}

/** The part of a Node `Readable` that other async iterables do not have. */
interface NodeStream {
  on(event: 'error', listener: () => void): unknown;
  destroy(): unknown;
}

function isNodeStream(source: unknown): source is NodeStream {
  const { on, destroy } = source as Partial<NodeStream>;
  return typeof on === 'function' && typeof destroy === 'function';
}

function toChunk(value: unknown): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new TypeError(`The stream has a chunk of type ${typeof value}; expected text or a Uint8Array.`);
}
