import { randomUUID } from 'node:crypto';
import type { Subscription } from '@nats-io/transport-node';
import type { Cancel } from '../../clock/clock.ts';
import { type AttemptName, decodeEntry, type LogEntry, streams, subjects } from './protocol.ts';
import { pause, type Servers } from './servers.ts';

/** Entries and bytes of output that the servers no longer keep. */
export interface LogGap {
  readonly entries: number;
  /** `null` where no later entry tells. */
  readonly bytes: number | null;
}

interface ReaderOptions {
  readonly name: AttemptName;
  /** Takes the next entry. `false` asks for a pause until `resume`. */
  readonly onEntry: (entry: LogEntry) => boolean;
  readonly onGap: (gap: LogGap) => void;
  readonly onError: (error: unknown) => void;
}

/** Most bytes that wait for an earlier entry or a slow reader; the others are read again from the stream. */
const MAX_HELD_BYTES = 8 * 2 ** 20;
/** Time that an entry may be late before it is looked for in the stream. */
const LATE_MS = 250;
const RETRY_MS = 300;
const BATCH = 128;
const FETCH_MS = 1_000;
/** Time after which the servers remove a reader that asks no more. */
const UNUSED_NS = 10e9;
/** A missing entry is given up when it was not found twice, this far apart: a server may be behind the others. */
const PROOF_MS = 1_000;

/**
 * Reads the log of an attempt in order, each entry once. New entries come by a plain subscription, which costs the servers nothing; what it
 * missed is read from the stream. Numbers give the order, since a server that fails makes entries change places.
 */
export class LogReader {
  readonly #servers: Servers;
  readonly #options: ReaderOptions;
  readonly #held = new Map<number, LogEntry>();
  readonly #subscription: Subscription;
  #heldBytes = 0;
  #next = 1;
  /** All entries from `#next` on are stored behind this position. */
  #after = 0;
  #offset = 0;
  /** Entries that are known to be stored. */
  #stored = 0;
  #isPaused = false;
  #isResumed = false;
  #isClosed = false;
  /** Entries were dropped here, and are to be read from the stream. */
  #isBehind = false;
  /** The first of them since the last look began. */
  #firstDropped = Number.POSITIVE_INFINITY;
  #catchingUp: Promise<boolean> | null = null;
  #cancelLate: Cancel | null = null;
  #missedAt: { readonly number: number; readonly ms: number } | null = null;

  constructor(servers: Servers, options: ReaderOptions) {
    this.#servers = servers;
    this.#options = options;
    const subject = subjects.log(options.name);
    this.#subscription = servers.connection.subscribe(subject, {
      callback: (error, message) => {
        // Another tenant can have messages of its own delivered here, which keep their subject.
        if (error === null && message.subject === subject) this.#offer(decodeEntry(message.data));
      },
    });
  }

  /** Number of the last entry that was delivered. */
  get delivered(): number {
    return this.#next - 1;
  }

  /** Reads from the stream what was missed, up to its end. Resolves with `false` where the servers did not give it. */
  catchUp(): Promise<boolean> {
    this.#catchingUp ??= this.#readStream().finally(() => {
      this.#catchingUp = null;
      this.#readOn();
    });
    return this.#catchingUp;
  }

  /** Reads everything that is stored now, however long the servers need. */
  async readAll(): Promise<void> {
    while (!this.#isClosed && !(await this.catchUp())) await pause(RETRY_MS);
  }

  /** Says that the log has at least so many entries, and reads those that are missing. */
  async expect(entries: number): Promise<void> {
    this.#stored = Math.max(this.#stored, entries);
    while (!this.#isClosed && this.delivered < entries) {
      await this.catchUp();
      if (this.delivered < entries) await pause(RETRY_MS);
    }
  }

  /** Continues after a pause. */
  resume(): void {
    this.#isPaused = false;
    this.#isResumed = true;
    this.#deliver();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelLate?.();
    this.#subscription.unsubscribe();
    this.#held.clear();
  }

  #offer(entry: LogEntry | null): void {
    if (entry === null || this.#isClosed || entry.number < this.#next || this.#held.has(entry.number)) return;
    this.#stored = Math.max(this.#stored, entry.stored);
    const isNext = entry.number === this.#next;
    if (this.#heldBytes > MAX_HELD_BYTES && !isNext) {
      this.#isBehind = true;
      this.#firstDropped = Math.min(this.#firstDropped, entry.number);
      return;
    }
    this.#held.set(entry.number, entry);
    this.#heldBytes += entry.type === 'output' ? entry.bytes.byteLength : 0;
    if (isNext) this.#deliver();
    else this.#watchLate();
  }

  #deliver(): void {
    while (!this.#isPaused && !this.#isClosed) {
      const entry = this.#held.get(this.#next);
      if (entry === undefined) break;
      this.#take(entry);
    }
    this.#readOn();
    this.#watchLate();
  }

  /** Reads the rest from the stream once everything that was held is taken. */
  #readOn(): void {
    if (this.#isBehind && this.#held.size === 0 && !this.#isPaused && !this.#isClosed) void this.catchUp();
  }

  #take(entry: LogEntry): void {
    this.#held.delete(entry.number);
    const bytes = entry.type === 'output' ? entry.bytes.byteLength : 0;
    this.#heldBytes = this.#held.size === 0 ? 0 : this.#heldBytes - bytes;
    this.#next = entry.number + 1;
    this.#after = Math.max(this.#after, entry.after);
    this.#offset = entry.offset + bytes;
    this.#isResumed = false;
    try {
      // A resumption may come while the entry is being taken.
      if (!this.#options.onEntry(entry)) this.#isPaused = !this.#isResumed;
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Looks in the stream for an entry that does not come, while later ones wait for it. */
  #watchLate(): void {
    if (!this.#isWaiting || this.#cancelLate !== null) return;
    const timer = setTimeout(() => {
      this.#cancelLate = null;
      if (this.#isWaiting) void this.catchUp().then(() => this.#watchLate());
    }, LATE_MS);
    timer.unref();
    this.#cancelLate = () => clearTimeout(timer);
  }

  /** True while later entries are held and the next one is missing. A paused reader needs none. */
  get #isWaiting(): boolean {
    return !this.#isPaused && !this.#isClosed && this.#held.size > 0 && !this.#held.has(this.#next);
  }

  async #readStream(): Promise<boolean> {
    this.#isBehind = false;
    this.#firstDropped = Number.POSITIVE_INFINITY;
    try {
      const { isComplete, stored } = await this.#readFrom(this.#after + 1);
      this.#isBehind ||= !isComplete;
      this.#deliver();
      this.#findGap(isComplete ? this.#stored : stored);
      return isComplete;
    } catch {
      // The servers cannot be reached, or a reader of the client broke: the next look begins again here.
      this.#isBehind = true;
      await pause(RETRY_MS);
      return false;
    }
  }

  /**
   * Reads what was stored from there on, or less where the reader pauses or too much is held. `stored`: entries that must be among what was
   * read, if they are kept.
   */
  async #readFrom(position: number): Promise<{ readonly isComplete: boolean; readonly stored: number }> {
    const { manager, jetstream } = this.#servers;
    const info = await manager.consumers.add(streams.logs, {
      name: `read_${randomUUID()}`,
      filter_subject: subjects.log(this.#options.name),
      ...{ deliver_policy: 'by_start_sequence', opt_start_seq: Math.max(1, position), ack_policy: 'none' },
      ...{ mem_storage: true, num_replicas: 1, inactive_threshold: UNUSED_NS },
    });
    const consumer = jetstream.consumers.getConsumerFromInfo(info);
    let left = info.num_pending;
    let stored = 0;
    while (left > 0 && !this.#isClosed) {
      const fetched = await consumer.fetch({ max_messages: Math.min(left, BATCH), expires: FETCH_MS });
      const before = left;
      for await (const message of fetched) {
        const entry = decodeEntry(message.data);
        this.#offer(entry);
        stored = Math.max(stored, entry?.stored ?? 0);
        left -= 1;
      }
      // The first request of a new consumer can get lost in a cluster.
      if (left === before) throw new Error('the servers sent none of the entries that they have');
      // The rest is read when these were taken.
      if (this.#isBehind || this.#isPaused) break;
    }
    return { isComplete: left === 0 && !this.#isBehind && !this.#isPaused, stored };
  }

  /** Gives up entries that must have been among what was read, and were not found twice. */
  #findGap(stored: number): void {
    const following = [...this.#held.keys(), this.#firstDropped].filter((number) => number >= this.#next);
    const lastMissing = Math.min(stored, Math.min(...following) - 1);
    if (this.#isPaused || this.#isClosed || lastMissing < this.#next) {
      this.#missedAt = null;
      return;
    }
    const nowMs = performance.now();
    if (this.#missedAt?.number !== this.#next) this.#missedAt = { number: this.#next, ms: nowMs };
    if (nowMs - this.#missedAt.ms < PROOF_MS) return;
    this.#missedAt = null;
    const entries = lastMissing + 1 - this.#next;
    const after = this.#held.get(lastMissing + 1);
    this.#options.onGap({ entries, bytes: after === undefined ? null : after.offset - this.#offset });
    this.#next = lastMissing + 1;
    this.#deliver();
  }
}
