import { expect, test } from 'vitest';
import {
  decodeEntry,
  decodeRequest,
  encodeEntry,
  encodeRequest,
  type LogEntry,
  subjects,
} from '../../src/spawn/remote/protocol.ts';

const place = { number: 2 ** 40, after: 2 ** 45 + 1, stored: 7, offset: 2 ** 50 + 3 };

const entries: readonly LogEntry[] = [
  { ...place, type: 'output', stream: 'stdout', bytes: Buffer.from([0, 10, 13, 255]) },
  { ...place, type: 'output', stream: 'stderr', bytes: Buffer.alloc(0) },
  { ...place, type: 'output', stream: 'screen', bytes: Buffer.from('zürich') },
  { ...place, type: 'fact', fact: { type: 'process.exited', exit: { code: 3, signal: null } } },
  { ...place, type: 'fact', fact: { type: 'attempt.claimed', worker: 'host.1', identity: 'job' } },
];

test.each(entries)('an entry survives its encoding: $type of $stream', (entry) => {
  expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
});

test('an entry of many processes is compressed', () => {
  const leftovers = Array.from({ length: 20_000 }, (_, pid) => ({
    ...{ pid, pgid: 1, startedAt: String(pid), command: 'sleep 300' },
  }));
  const entry: LogEntry = { ...place, type: 'fact', fact: { type: 'tree.surveyed', leftovers } };

  const bytes = encodeEntry(entry);

  expect(JSON.stringify(leftovers).length).toBeGreaterThan(2 ** 20);
  expect(bytes.byteLength).toBeLessThan(2 ** 18);
  expect(decodeEntry(bytes)).toEqual(entry);
});

test('an entry is found inside a larger buffer', () => {
  const [entry] = entries as [LogEntry];
  const message = Buffer.concat([Buffer.from('before'), encodeEntry(entry)]);

  expect(decodeEntry(message.subarray('before'.length))).toEqual(entry);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a short message', Buffer.alloc(32)],
  ['an unknown kind', Buffer.alloc(64, 9)],
  ['compressed content that is damaged', Buffer.alloc(64, 131)],
  ['a fact without its end', encodeEntry(entries[3] as LogEntry).subarray(0, -1)],
])('%s is no entry', (_, bytes) => {
  expect(decodeEntry(bytes)).toBeNull();
});

test('a request survives its encoding', () => {
  const request = { id: 'tool_a', attempt: 2, command: { type: 'tree.survey' } } as const;

  expect(decodeRequest(encodeRequest(request))).toEqual(request);
});

test.each([['text\nof two lines'], [''], ['\n']])(
  'a request carries the bytes %j behind its line',
  (text) => {
    const command = { type: 'process.write', data: Buffer.from(text), waits: true } as const;
    const request = { id: 'tool_a', attempt: 1, command };

    expect(decodeRequest(encodeRequest(request))).toEqual(request);
  },
);

test('bytes that are no request are refused', () => {
  expect(() => decodeRequest(Buffer.from('hello'))).toThrow(SyntaxError);
});

test('a subject names tenant, id and attempt', () => {
  const name = { tenant: 'ann', id: 'tool_a', attempt: 3 };

  expect([subjects.log(name), subjects.late(name), subjects.record(name)]).toEqual([
    'troupe.log.ann.tool_a.3',
    'troupe.late.ann.tool_a.3',
    '$KV.troupe_attempts.ann.tool_a.3',
  ]);
});
