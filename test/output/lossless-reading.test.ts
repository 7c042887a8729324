import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeLogFileSystem } from '../../src/output/log-file-system.ts';
import { iterateChunks, iterateLines, toWebStream } from '../../src/output/lossless-reading.ts';
import type { OutputChunk } from '../../src/output/output-chunk.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { anyWrites, bytesOf, createTestLog, type Write } from './arrange.ts';

const directory = tempDir();
afterAll(directory.remove);
let files = 0;

const small = { maxBufferBytes: 1024, headBytes: 64 };

function withFile(maxBytes: number, options: Parameters<typeof createTestLog>[0] = {}): OutputLog {
  files += 1;
  const logFile = { path: directory.file(`${files}.log`), maxBytes };
  return createTestLog({ ...small, ...options, logFile: { ...logFile, ...options?.logFile } });
}

/** Writes like a pipe: as fast as the log allows, and not at all while it asks to wait. */
async function pour(log: OutputLog, writes: readonly Write[]): Promise<void> {
  for (const { stream, bytes } of writes) {
    if (!log.write(stream, bytes)) await new Promise<void>((resolve) => log.whenWritable(resolve));
  }
  log.markEnd();
  log.finish();
}

async function collect(
  chunks: AsyncIterable<OutputChunk>,
  { turnsPerChunk = 0 }: { turnsPerChunk?: number } = {},
): Promise<OutputChunk[]> {
  const seen: OutputChunk[] = [];
  for await (const chunk of chunks) {
    seen.push(chunk);
    for (let turn = 0; turn < turnsPerChunk; turn += 1) await nextTurn();
  }
  return seen;
}

const logs = [
  ['in memory only', () => createTestLog(small)],
  ['with a log file', () => withFile(1024 * 1024)],
  ['with a log file at its cap', () => withFile(8 * 1024)],
] as const;

describe.each(logs)('a log %s', (_, createLog) => {
  test('loses no byte for readers of any speed', async () => {
    const speeds = fc.array(fc.nat(5), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(anyWrites(3_000), speeds, async (writes, turns) => {
        const log = createLog();
        const readers = turns.map((turnsPerChunk) => collect(iterateChunks(log), { turnsPerChunk }));
        const stderr = collect(iterateChunks(log, { stream: 'stderr' }), { turnsPerChunk: 2 });

        await pour(log, writes);
        const seen = await Promise.all(readers);

        const written = Buffer.concat(writes.map(({ bytes }) => bytes));
        for (const chunks of seen) expect(bytesOf(chunks).equals(written)).toBe(true);
        const errors = Buffer.concat(
          writes.flatMap((each) => (each.stream === 'stderr' ? [each.bytes] : [])),
        );
        expect(bytesOf(await stderr).equals(errors)).toBe(true);
        await log.close();
      }),
      { numRuns: 40 },
    );
  });

  test('keeps no more than its limit beside one write and 2 MiB for the disk', async () => {
    const log = createLog();
    const reader = iterateChunks(log);
    const writes = Array.from(
      { length: 400 },
      () => ({ stream: 'stdout', bytes: Buffer.alloc(65_536) }) as const,
    );
    let mostBytes = 0;

    const pouring = pour(log, writes);
    for await (const _ of reader) mostBytes = Math.max(mostBytes, log.keptBytes);
    await pouring;

    const diskBytes = log.logFile === null ? 0 : 2 * 1024 * 1024;
    expect(mostBytes).toBeLessThanOrEqual(1024 + 2 * 65_536 + diskBytes);
    await log.close();
  });
});

describe('a log in memory only', () => {
  const chunk = Buffer.alloc(2_000, 'a');

  test('makes the source wait for a reader, and lets it go when the reader has read', async () => {
    const log = createTestLog(small);
    const reader = iterateChunks(log);

    expect(log.write('stdout', chunk)).toBe(false);
    expect(log.isBackpressured).toBe(true);

    await reader.next();
    await reader.next();
    await new Promise<void>((resolve) => log.whenWritable(resolve));
    expect(log.isBackpressured).toBe(false);
  });

  const departures = {
    'returns while it waits for output': async (reader: AsyncGenerator) => {
      void reader.next();
      void reader.next();
      void reader.next();
      await nextTurn();
      await reader.return(undefined);
    },
    'returns before it began': async (reader: AsyncGenerator) => void (await reader.return(undefined)),
    'is disposed of': async (reader: AsyncGenerator) => reader[Symbol.asyncDispose](),
  };

  test.each(Object.entries(departures))('lets the source go when the reader %s', async (_, leave) => {
    const log = createTestLog(small);
    const reader = iterateChunks(log);
    log.write('stdout', chunk);

    await leave(reader);

    await new Promise<void>((resolve) => log.whenWritable(resolve));
    expect(log.write('stdout', chunk)).toBe(true);
  });

  test('lets the source go when the signal of an idle reader is aborted', async () => {
    const log = createTestLog(small);
    const leaving = new AbortController();
    const reader = iterateChunks(log, { signal: leaving.signal });
    log.write('stdout', chunk);

    leaving.abort();

    expect(log.isBackpressured).toBe(false);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test('accepts 4 MiB of an ending process that a reader holds', async () => {
    const log = createTestLog(small);
    const reader = iterateChunks(log);
    log.write('stdout', chunk);

    log.expectEnd();

    expect(log.isBackpressured).toBe(false);
    expect(log.write('stdout', Buffer.alloc(4 * 1024 * 1024 - 4_000))).toBe(true);
    expect(log.write('stdout', Buffer.alloc(4_000))).toBe(false);
    log.finish();
    const bytes = bytesOf(await collect(reader)).byteLength;
    expect(bytes).toBe(4 * 1024 * 1024 + 2_000);
  });

  test('never waits for a reader of another stream', () => {
    const log = createTestLog(small);
    const reader = iterateChunks(log, { stream: 'stderr' });

    expect(log.write('stdout', chunk)).toBe(true);
    void reader.return();
  });

  test('rejects a reader that comes too late', async () => {
    const log = createTestLog(small);
    log.write('stdout', chunk);

    const reading = iterateChunks(log);
    await reading.next();

    await expect(reading.next()).rejects.toMatchObject({
      code: 'output-lost',
      message: expect.stringContaining('976 bytes of stdout from byte 64 on are lost'),
    });
    expect(log.write('stdout', chunk)).toBe(true);
  });
});

test('a disk that fails for a while loses nothing', async () => {
  const broken = {
    ...nodeLogFileSystem,
    open: async (...args: Parameters<typeof nodeLogFileSystem.open>) => {
      const handle = await nodeLogFileSystem.open(...args);
      let calls = 0;
      const writev = async (pieces: readonly Uint8Array[]) => {
        calls += 1;
        if (calls === 3) throw new Error('ENOSPC');
        return await handle.writev(pieces);
      };
      return new Proxy(handle, {
        get: (_, name) => (name === 'writev' ? writev : Reflect.get(handle, name, handle)),
      });
    },
  };
  const clock = createVirtualClock();
  const log = withFile(1024 * 1024, {
    clock,
    logFile: { path: directory.file('full.log'), maxBytes: 1024 * 1024, files: broken },
  });
  const writes = Array.from(
    { length: 200 },
    (_, index) => ({ stream: 'stdout', bytes: Buffer.alloc(40_000, index) }) as const,
  );

  const reading = collect(iterateChunks(log), { turnsPerChunk: 4 });
  // After five seconds the disk is tried again.
  const cancel = log.onWrite(() => clock.advance(1_000));
  await pour(log, writes);
  cancel();

  expect(bytesOf(await reading).equals(Buffer.concat(writes.map(({ bytes }) => bytes)))).toBe(true);
  expect(log.stats().degraded).not.toBe(null);
  await log.close();
});

test('lines come with stream and time, and none is missing', async () => {
  const clock = createVirtualClock();
  const log = createTestLog({ ...small, clock });
  const lines = iterateLines(log, { clock });
  const numbers = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
  const pouring = pour(log, [
    { stream: 'stderr', bytes: Buffer.from('careful\n') },
    ...numbers.map((text) => ({ stream: 'stdout', bytes: Buffer.from(`${text}\n`) }) as const),
  ]);

  const seen = await Array.fromAsync(lines);
  await pouring;

  expect(seen[0]).toMatchObject({ stream: 'stderr', text: 'careful', at: clock.epochMs() });
  expect(seen.slice(1).map(({ text }) => text)).toEqual(numbers);
});

describe('a web stream', () => {
  test('has all bytes of its stream', async () => {
    const log = createTestLog(small);
    const stream = toWebStream(log, { stream: 'stdout' });
    const writes = Array.from({ length: 50 }, (_, index) => [
      { stream: 'stdout', bytes: Buffer.alloc(700, index) } as const,
      { stream: 'stderr', bytes: Buffer.alloc(700, 1) } as const,
    ]).flat();
    const pouring = pour(log, writes);

    const bytes = Buffer.from(await new Response(stream).arrayBuffer());
    await pouring;

    const expected = writes.flatMap((each) => (each.stream === 'stdout' ? [each.bytes] : []));
    expect(bytes.equals(Buffer.concat(expected))).toBe(true);
  });

  test('takes nothing before it is read, and lets the source go when it is cancelled', async () => {
    const log = createTestLog(small);
    const stream = toWebStream(log);
    log.write('stdout', Buffer.alloc(5_000));
    await nextTurn();
    expect(log.isBackpressured).toBe(true);

    await stream.cancel();

    expect(log.isBackpressured).toBe(false);
  });
});
