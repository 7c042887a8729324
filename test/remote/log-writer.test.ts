import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { LogWriter } from '../../src/remote/log-writer.ts';
import { decodeEntry, type LogEntry } from '../../src/spawn/remote/protocol.ts';
import type { Servers } from '../../src/spawn/remote/servers.ts';

const name = { tenant: 'ann', id: 'tool_a', attempt: 1 };
const KIB = 1_024;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Servers whose answers to a publication are given by the test. */
function createServers(maxPayload = 1_024 * KIB) {
  const sent: { readonly entry: LogEntry; answer(position: number): void; refuse(): void }[] = [];
  let isClosed = false;
  const servers = {
    connection: { isClosed: () => isClosed, info: { max_payload: maxPayload } },
    jetstream: {
      publish: (_: string, data: Uint8Array) =>
        new Promise((resolve, reject) => {
          const entry = decodeEntry(data);
          if (entry === null) throw new Error('no entry was sent');
          sent.push({
            entry,
            answer: (seq) => resolve({ seq }),
            refuse: () => reject(new Error('timeout')),
          });
        }),
    },
  } as unknown as Servers;
  return {
    ...{ servers, sent },
    entries: () => sent.map(({ entry }) => entry),
    outputs: () =>
      sent.flatMap(({ entry }) =>
        entry.type === 'output' ? [`${entry.stream}: ${Buffer.from(entry.bytes).toString()}`] : [],
      ),
    close: () => {
      isClosed = true;
    },
  };
}

const fact = { type: 'fact', fact: { type: 'output.ended' } } as const;

/** Settles promises. */
const settle = () => vi.advanceTimersByTimeAsync(0);

test('output of one stream that follows closely is one entry', async () => {
  const { servers, outputs } = createServers();
  const log = new LogWriter(servers, name);
  log.write('stdout', Buffer.from('first '));

  for (const text of ['a', 'b', 'c']) log.write('stdout', Buffer.from(text));
  const early = outputs();
  await vi.advanceTimersByTimeAsync(20);

  expect(early.length).toBeLessThanOrEqual(1);
  expect(outputs().join('').replaceAll('stdout: ', '')).toBe('first abc');
  expect(outputs().length).toBeLessThanOrEqual(2);
});

test('output after a pause is sent at once', async () => {
  const { servers, outputs } = createServers();
  const log = new LogWriter(servers, name);
  await vi.advanceTimersByTimeAsync(100);

  log.write('stdout', Buffer.from('prompt> '));

  expect(outputs()).toEqual(['stdout: prompt> ']);
});

test('streams and facts keep their order', async () => {
  const { servers, entries } = createServers();
  const log = new LogWriter(servers, name);

  log.write('stdout', Buffer.from('a'));
  log.write('stderr', Buffer.from('b'));
  log.write('stdout', Buffer.from('c'));
  log.add(fact);

  const order = entries().map((entry) => (entry.type === 'output' ? entry.stream : entry.type));
  expect(order).toEqual(['stdout', 'stderr', 'stdout', 'fact']);
  expect(entries().map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(entries().map(({ offset }) => offset)).toEqual([0, 1, 2, 3]);
  expect({ bytes: log.bytes, entries: log.entries }).toEqual({ bytes: 3, entries: 4 });
});

test('an entry is repeated until it is stored', async () => {
  const { servers, sent, entries } = createServers();
  const log = new LogWriter(servers, name);
  log.add(fact);
  let isStored = false;
  void log.stored().then(() => {
    isStored = true;
  });

  for (let round = 0; round < 3; round += 1) {
    sent.at(-1)?.refuse();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  const before = isStored;
  sent.at(-1)?.answer(1);
  await settle();

  expect(entries()).toEqual(Array(4).fill(entries()[0]));
  expect([before, isStored]).toEqual([false, true]);
});

test('an entry says how many before it are stored without a gap', async () => {
  const { servers, sent, entries } = createServers();
  const log = new LogWriter(servers, name);
  for (let count = 0; count < 3; count += 1) log.add(fact);

  sent[0]?.answer(10);
  sent[2]?.answer(11);
  await settle();
  log.add(fact);
  sent[1]?.answer(12);
  await settle();
  log.add(fact);

  expect(entries().map(({ stored }) => stored)).toEqual([0, 0, 0, 1, 3]);
});

test('an entry names a position before it and all later ones', async () => {
  const { servers, sent, entries } = createServers();
  const log = new LogWriter(servers, name);
  for (let count = 0; count < 3; count += 1) log.add(fact);

  sent[2]?.answer(25);
  sent[0]?.answer(10);
  await settle();
  log.add(fact);

  expect(entries().map(({ after }) => after)).toEqual([0, 0, 0, 25]);
});

test('output that is not stored asks the process to wait', async () => {
  const { servers, sent } = createServers();
  const log = new LogWriter(servers, name);
  const answers: boolean[] = [];
  let called = 0;

  for (let count = 0; count < 40; count += 1) answers.push(log.write('stdout', Buffer.alloc(64 * KIB)));
  log.whenWritable(() => {
    called += 1;
  });
  const wasBackpressured = log.isBackpressured;
  for (const { answer } of sent.slice(0, 10)) answer(1);
  await settle();
  const early = called;
  for (const { answer } of sent) answer(2);
  await settle();

  expect(answers.slice(0, 30)).not.toContain(false);
  expect(answers.at(-1)).toBe(false);
  expect([wasBackpressured, log.isBackpressured]).toEqual([true, false]);
  expect([early, called]).toEqual([0, 1]);
});

test('a large write is sent in pieces', () => {
  const { servers, entries } = createServers();
  const log = new LogWriter(servers, name);

  log.write('stdout', Buffer.alloc(1_000 * KIB, 'x'));

  const sizes = entries().map((entry) => (entry.type === 'output' ? entry.bytes.byteLength / KIB : 0));
  expect(sizes).toEqual([256, 256, 256, 232]);
});

test('a closed connection ends the wait for what is not stored', async () => {
  const { servers, sent, close } = createServers();
  const log = new LogWriter(servers, name);
  log.add(fact);
  const stored = log.stored();

  close();
  sent[0]?.refuse();
  await vi.advanceTimersByTimeAsync(1_000);

  await expect(stored).resolves.toBeUndefined();
});

test('output is cut to the messages of the servers', () => {
  const { servers, entries } = createServers(100 * KIB);
  const log = new LogWriter(servers, name);

  log.write('stdout', Buffer.alloc(250 * KIB, 'x'));

  const sizes = entries().map((entry) => (entry.type === 'output' ? entry.bytes.byteLength : 0));
  expect(sizes).toEqual([100 * KIB - 33, 100 * KIB - 33, 50 * KIB + 66]);
});

test('an entry above the messages of the servers is not sent, and the next one has its number', () => {
  const { servers, entries } = createServers(KIB);
  const log = new LogWriter(servers, name);
  const message = 'x'.repeat(2 * KIB);

  const isSent = log.add({ type: 'fact', fact: { type: 'process.lost', why: message } });
  const isNextSent = log.add(fact);

  expect({ isSent, isNextSent }).toEqual({ isSent: false, isNextSent: true });
  expect(entries()).toMatchObject([{ ...fact, number: 1 }]);
});
