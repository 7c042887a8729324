import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type LogGap, LogReader } from '../../src/spawn/remote/log-reader.ts';
import { decodeEntry, encodeEntry, type LogEntry, subjects } from '../../src/spawn/remote/protocol.ts';
import type { Servers } from '../../src/spawn/remote/servers.ts';

const name = { tenant: 'ann', id: 'tool_a', attempt: 1 };
const MIB = 2 ** 20;

/** Long enough for every pause of a reader. */
const LONG_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** A stream of one log: what is stored, and what is delivered to the subscription. */
function createStream() {
  const stored: { readonly position: number; readonly data: Uint8Array }[] = [];
  let deliver = (_: Uint8Array, __: string): void => {};
  let isOut = false;
  let reads = 0;
  let isSubscribed = false;
  const servers = {
    connection: {
      isClosed: () => false,
      subscribe: (
        _: string,
        { callback }: { callback: (error: null, message: { data: Uint8Array; subject: string }) => void },
      ) => {
        isSubscribed = true;
        deliver = (data, subject) => isSubscribed && callback(null, { data, subject });
        return {
          unsubscribe: () => {
            isSubscribed = false;
          },
        };
      },
    },
    manager: {
      consumers: {
        add: async (_: string, config: { opt_start_seq: number }) => {
          reads += 1;
          if (isOut) throw new Error('timeout');
          const from = config.opt_start_seq;
          return { num_pending: stored.filter(({ position }) => position >= from).length, from };
        },
      },
    },
    jetstream: {
      consumers: {
        getConsumerFromInfo: ({ from }: { from: number }) => {
          let next = from;
          return {
            fetch: async ({ max_messages }: { max_messages: number }) => {
              if (isOut) throw new Error('timeout');
              const found = stored.filter(({ position }) => position >= next).slice(0, max_messages);
              next = (found.at(-1)?.position ?? next) + 1;
              return (async function* () {
                yield* found;
              })();
            },
          };
        },
      },
    },
  } as unknown as Servers;
  return {
    servers,
    get reads() {
      return reads;
    },
    setOut: (out: boolean) => {
      isOut = out;
    },
    /** Stores entries at the next positions. */
    store: (...entries: readonly LogEntry[]) => {
      for (const entry of entries) stored.push({ position: stored.length + 1, data: encodeEntry(entry) });
    },
    /** Delivers entries to the subscription. */
    say: (...entries: readonly LogEntry[]) => {
      for (const entry of entries) deliver(encodeEntry(entry), subjects.log(name));
    },
    sayAs: (subject: string, entry: LogEntry) => deliver(encodeEntry(entry), subject),
    sayBytes: (bytes: Uint8Array) => deliver(bytes, subjects.log(name)),
  };
}

function openReader({ servers }: Pick<ReturnType<typeof createStream>, 'servers'>) {
  const numbers: number[] = [];
  const gaps: (LogGap & { readonly before: number | undefined })[] = [];
  let takes: (entry: LogEntry) => boolean = () => true;
  const reader = new LogReader(servers, {
    name,
    onEntry: (entry) => {
      numbers.push(entry.number);
      return takes(entry);
    },
    onGap: (gap) => gaps.push({ ...gap, before: numbers.at(-1) }),
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => reader.close());
  return {
    ...{ reader, numbers, gaps },
    onTake: (callback: typeof takes) => {
      takes = callback;
    },
  };
}

interface EntryOptions {
  readonly bytes?: number;
  readonly stored?: number;
}

const toEntry = (number: number, { bytes = 10, stored = 0 }: EntryOptions = {}): LogEntry => ({
  ...{ number, stored, after: 0, offset: (number - 1) * bytes },
  ...{ type: 'output', stream: 'stdout', bytes: Buffer.alloc(bytes, number) },
});

const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const toEntries = (numbers: readonly number[], options?: EntryOptions) =>
  numbers.map((number) => toEntry(number, options));

/** Returns the numbers in another order, the same one for the same seed. */
function shuffle(numbers: readonly number[], seed: number): readonly number[] {
  const rank = (number: number) => (number * 7_919 + seed * 104_729) % 1_009;
  return numbers.toSorted((a, b) => rank(a) - rank(b));
}

test.each(upTo(20))('entries in any order are delivered in order once: order %i', (seed) => {
  const stream = createStream();
  const { numbers } = openReader(stream);
  const order = shuffle(upTo(50), seed);

  stream.say(...toEntries(order), ...toEntries(order));

  expect(numbers).toEqual(upTo(50));
});

test('missed entries are read from the stream', async () => {
  const stream = createStream();
  stream.store(...toEntries(shuffle(upTo(300), 1)));
  const { reader, numbers } = openReader(stream);

  expect(await reader.catchUp()).toBe(true);

  expect(numbers).toEqual(upTo(300));
  expect(reader.delivered).toBe(300);
});

test('an entry that does not come is looked for', async () => {
  const stream = createStream();
  const { numbers } = openReader(stream);
  stream.store(...toEntries(upTo(5)));

  stream.say(toEntry(1), toEntry(2), toEntry(4), toEntry(5));
  const before = [...numbers];
  await vi.advanceTimersByTimeAsync(LONG_MS);

  expect(before).toEqual([1, 2]);
  expect(numbers).toEqual(upTo(5));
});

test('an expected entry is read however long the servers are out', async () => {
  const stream = createStream();
  const { reader, numbers } = openReader(stream);
  stream.store(...toEntries(upTo(3)));
  stream.setOut(true);

  const reading = reader.expect(3);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  const during = [...numbers];
  stream.setOut(false);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await reading;

  expect(during).toEqual([]);
  expect(stream.reads).toBeGreaterThan(10);
  expect(numbers).toEqual(upTo(3));
});

test('a slow reader holds a bounded part and gets the rest later', async () => {
  const stream = createStream();
  const { reader, numbers, onTake } = openReader(stream);
  const entries = toEntries(upTo(40), { bytes: MIB });
  stream.store(...entries);
  onTake(({ number }) => number > 1);

  stream.say(...entries);
  const paused = [...numbers];
  stream.setOut(true);
  reader.resume();
  const held = [...numbers];
  stream.setOut(false);
  await vi.advanceTimersByTimeAsync(LONG_MS);

  expect(paused).toEqual([1]);
  expect(held.length).toBeGreaterThan(5);
  expect(held.length).toBeLessThan(12);
  expect(numbers).toEqual(upTo(40));
});

test('a reader that pauses at each entry gets all of them', async () => {
  const stream = createStream();
  const { reader, numbers, onTake } = openReader(stream);
  const entries = toEntries(upTo(300), { bytes: 100_000 });
  stream.store(...entries);
  onTake(() => {
    setTimeout(() => reader.resume(), 1);
    return false;
  });

  stream.say(...entries.slice(0, 250));
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await reader.catchUp();
  await vi.advanceTimersByTimeAsync(LONG_MS);

  expect(numbers).toEqual(upTo(300));
});

test('entries that were dropped between held ones are read after a pause', async () => {
  const stream = createStream();
  const { reader, numbers, onTake } = openReader(stream);
  const pausesAt = [1, 5];
  onTake(({ number }) => !pausesAt.includes(number));
  const entries = toEntries(upTo(14), { bytes: MIB });
  stream.store(...entries);

  stream.say(...entries.slice(0, 12));
  reader.resume();
  stream.say(...entries.slice(12));
  reader.resume();
  await vi.advanceTimersByTimeAsync(LONG_MS);

  expect(numbers).toEqual(upTo(14));
});

test('a resumption while an entry is taken is no pause', async () => {
  const stream = createStream();
  const { reader, numbers, onTake } = openReader(stream);
  onTake(() => {
    reader.resume();
    return false;
  });

  stream.say(...toEntries(upTo(5)));

  expect(numbers).toEqual(upTo(5));
});

test('an entry that is not stored yet is no gap', async () => {
  const stream = createStream();
  const { numbers, gaps } = openReader(stream);
  const others = [toEntry(1), toEntry(3), toEntry(4, { stored: 1 })];
  stream.store(...others);

  stream.say(...others);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  const before = [...numbers];
  stream.say(toEntry(2));

  expect({ before, gaps }).toEqual({ before: [1], gaps: [] });
  expect(numbers).toEqual(upTo(4));
});

test('a stored entry that is missing twice is a gap', async () => {
  const stream = createStream();
  const { numbers, gaps } = openReader(stream);
  const others = [toEntry(1), toEntry(4), toEntry(5, { stored: 4 })];
  stream.store(...others);

  stream.say(...others);
  await vi.advanceTimersByTimeAsync(600);
  const early = gaps.length;
  await vi.advanceTimersByTimeAsync(LONG_MS);

  expect(early).toBe(0);
  expect(gaps).toEqual([{ entries: 2, bytes: 20, before: 1 }]);
  expect(numbers).toEqual([1, 4, 5]);
});

test('a gap at the end is told by the count of entries', async () => {
  const stream = createStream();
  const { reader, numbers, gaps } = openReader(stream);
  stream.store(toEntry(1), toEntry(2));

  const reading = reader.expect(5);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await reading;

  expect(numbers).toEqual([1, 2]);
  expect(gaps).toEqual([{ entries: 3, bytes: null, before: 2 }]);
});

test('a gap is told however much follows it', async () => {
  const stream = createStream();
  const { reader, numbers, gaps } = openReader(stream);
  // The servers have dropped the oldest.
  stream.store(
    ...upTo(140, 101).map((number) => toEntry(number, { bytes: MIB, stored: Math.max(0, number - 3) })),
  );

  void reader.catchUp();
  await vi.advanceTimersByTimeAsync(LONG_MS);

  expect(gaps).toEqual([{ entries: 100, bytes: 100 * MIB, before: undefined }]);
  expect(numbers).toEqual(upTo(140, 101));
});

test('messages of other subjects and other kinds are ignored', () => {
  const stream = createStream();
  const { numbers } = openReader(stream);

  stream.sayAs('troupe.log.eve.tool_a.1', toEntry(1));
  stream.sayBytes(Buffer.from('hello'));
  stream.say(toEntry(1));

  expect(numbers).toEqual([1]);
  expect(decodeEntry(encodeEntry(toEntry(1)))).toEqual(toEntry(1));
});

test('a closed reader delivers and asks no more', async () => {
  const stream = createStream();
  const { reader, numbers } = openReader(stream);
  stream.say(toEntry(1), toEntry(3));

  reader.close();
  stream.say(toEntry(2));
  await vi.advanceTimersByTimeAsync(LONG_MS);

  expect(numbers).toEqual([1]);
  expect(stream.reads).toBe(0);
});
