import type { OutputSink, OutputStream } from '../output/output-sink.ts';
import {
  type AttemptName,
  type EntryContent,
  encodeEntry,
  HEAD_BYTES,
  subjects,
} from '../spawn/remote/protocol.ts';
import { pause, type Servers, toMessageBytes } from '../spawn/remote/servers.ts';

/** Size at which output is sent at once; below it, output that follows closely is sent together. */
const ENTRY_BYTES = 64 * 1024;
const MAX_ENTRY_BYTES = 4 * ENTRY_BYTES;
const COALESCE_MS = 20;
/** Bytes that may be on their way to the servers. A process that prints more waits. */
const WINDOW_BYTES = 2 * 2 ** 20;
const RETRY_MS = 200;

/**
 * Writes the log of an attempt: numbers its entries and sends them until the servers have stored each. Output that the servers do not take
 * stops the process in its `write`, so that memory stays flat.
 */
export class LogWriter implements OutputSink {
  lastWriteAtMs = performance.now();
  readonly #servers: Pick<Servers, 'jetstream' | 'connection'>;
  readonly #subject: string;
  readonly #unstored = new Set<number>();
  /** Output of one stream that waits for more. */
  #pending: { readonly stream: OutputStream; readonly parts: Uint8Array[]; bytes: number } | null = null;
  #timer: NodeJS.Timeout | null = null;
  #lastSentMs = 0;
  #numbered = 0;
  #offset = 0;
  /** Position of the newest entry that is known to be stored. */
  #newestPosition = 0;
  #windowBytes = 0;
  #onWritable: (() => void)[] = [];
  #onStored: (() => void)[] = [];

  constructor(servers: Pick<Servers, 'jetstream' | 'connection'>, name: AttemptName) {
    this.#servers = servers;
    this.#subject = subjects.log(name);
  }

  get bytes(): number {
    return this.#offset + (this.#pending?.bytes ?? 0);
  }

  get isBackpressured(): boolean {
    return this.#windowBytes > WINDOW_BYTES;
  }

  /** Number of entries so far. */
  get entries(): number {
    return this.#numbered;
  }

  write(stream: OutputStream, bytes: Uint8Array): boolean {
    this.lastWriteAtMs = performance.now();
    if (this.#pending !== null && this.#pending.stream !== stream) this.#flush();
    this.#pending ??= { stream, parts: [], bytes: 0 };
    this.#pending.parts.push(bytes);
    this.#pending.bytes += bytes.byteLength;
    // The first output after a while is sent at once.
    const isDue = this.#pending.bytes >= ENTRY_BYTES || performance.now() - this.#lastSentMs > COALESCE_MS;
    if (isDue) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS);
    return !this.isBackpressured;
  }

  whenWritable(callback: () => void): void {
    this.#onWritable.push(callback);
  }

  /** Adds an entry behind the output so far. Returns `false` for one that is larger than a message of the servers. */
  add(content: Exclude<EntryContent, { type: 'output' }>): boolean {
    this.#flush();
    return this.#send(content, 0);
  }

  /** Resolves when everything so far is stored, or the connection is closed. */
  async stored(): Promise<void> {
    this.#flush();
    while (this.#unstored.size > 0 && !this.#servers.connection.isClosed())
      await new Promise<void>((resolve) => this.#onStored.push(resolve));
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    this.#lastSentMs = performance.now();
    const [first] = pending.parts;
    const bytes = pending.parts.length === 1 && first !== undefined ? first : Buffer.concat(pending.parts);
    const size = Math.min(MAX_ENTRY_BYTES, toMessageBytes(this.#servers.connection) - HEAD_BYTES);
    for (let from = 0; from < bytes.byteLength; from += size) {
      const part = bytes.subarray(from, from + size);
      this.#send({ type: 'output', stream: pending.stream, bytes: part }, part.byteLength);
    }
  }

  #send(content: EntryContent, outputBytes: number): boolean {
    const number = this.#numbered + 1;
    const oldest = this.#unstored.values().next().value;
    const entry = encodeEntry({
      ...content,
      number,
      after: this.#newestPosition,
      stored: (oldest ?? number) - 1,
      offset: this.#offset,
    });
    if (entry.byteLength > toMessageBytes(this.#servers.connection)) return false;
    this.#numbered = number;
    this.#offset += outputBytes;
    this.#unstored.add(number);
    this.#windowBytes += entry.byteLength;
    void this.#publish(entry).then(() => this.#take(number, entry.byteLength));
    return true;
  }

  /** Repeats until the servers have stored the entry: its number makes a second copy harmless. */
  async #publish(entry: Uint8Array): Promise<void> {
    const { jetstream, connection } = this.#servers;
    while (!connection.isClosed()) {
      try {
        const { seq } = await jetstream.publish(this.#subject, entry);
        this.#newestPosition = Math.max(this.#newestPosition, seq);
        return;
      } catch {
        await pause(RETRY_MS);
      }
    }
  }

  #take(number: number, bytes: number): void {
    this.#unstored.delete(number);
    this.#windowBytes -= bytes;
    if (this.#windowBytes < WINDOW_BYTES / 2) for (const callback of this.#onWritable.splice(0)) callback();
    if (this.#unstored.size === 0) for (const resolve of this.#onStored.splice(0)) resolve();
  }
}
