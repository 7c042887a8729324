import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OutputStream } from '../../src/output/output-sink.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { anyWrites, bytesOf, createTestLog, droppedIn } from './arrange.ts';

describe('the output log', () => {
  test('keeps head and newest tail to the byte', () => {
    fc.assert(
      fc.property(anyWrites(3_000), (writes) => {
        const log = createTestLog({ maxBufferBytes: 1024, headBytes: 200 });

        for (const { stream, bytes } of writes) log.write(stream, bytes);

        for (const stream of ['stdout', 'stderr'] as const) {
          const all = Buffer.concat(
            writes.filter((write) => write.stream === stream).map(({ bytes }) => bytes),
          );
          const pieces = [...log.chunks(0, stream)];
          const expected =
            all.length <= 1024 ? all : Buffer.concat([all.subarray(0, 200), all.subarray(all.length - 824)]);
          expect(bytesOf(pieces)).toEqual(expected);
          expect(droppedIn(pieces)).toBe(all.length - expected.length);
        }
      }),
    );
  });

  test('merged pieces are in order and count everything', () => {
    fc.assert(
      fc.property(anyWrites(3_000), fc.nat(100_000), (writes, place) => {
        const log = createTestLog({ maxBufferBytes: 2048, headBytes: 100 });
        for (const { stream, bytes } of writes) log.write(stream, bytes);
        const from = place % (log.bytes + 1);

        const pieces = [...log.chunks(from)];

        const offsets = pieces.flatMap((piece) => (piece.type === 'chunk' ? [piece.offset] : []));
        expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
        expect(bytesOf(pieces).length + droppedIn(pieces)).toBe(log.bytes - from);
      }),
    );
  });

  test('offsets stand for the bytes that arrived there', () => {
    fc.assert(
      fc.property(anyWrites(3_000), (writes) => {
        const log = createTestLog({ maxBufferBytes: 1024, headBytes: 300 });
        const all = Buffer.concat(writes.map(({ bytes }) => bytes));

        for (const { stream, bytes } of writes) log.write(stream, bytes);

        for (const piece of log.chunks(0)) {
          if (piece.type === 'gap') continue;
          expect(
            Buffer.compare(piece.bytes, all.subarray(piece.offset, piece.offset + piece.bytes.length)),
          ).toBe(0);
        }
      }),
    );
  });

  test('counts newlines and dropped bytes exactly', () => {
    fc.assert(
      fc.property(anyWrites(3_000), (writes) => {
        const log = createTestLog({ maxBufferBytes: 1024, headBytes: 100 });

        for (const { stream, bytes } of writes) log.write(stream, bytes);

        const all = Buffer.concat(writes.map(({ bytes }) => bytes));
        const stats = log.stats();
        expect(stats.lines).toBe(all.filter((byte) => byte === 10).length);
        expect(stats.bytes).toBe(all.length);
        expect(stats.droppedBytes).toBe(droppedIn(log.chunks(0)));
      }),
    );
  });

  test('a flood of stdout leaves stderr untouched', () => {
    const log = createTestLog({ maxBufferBytes: 4096, headBytes: 1024 });

    log.write('stderr', Buffer.from('first warning\n'));
    for (let count = 0; count < 100; count += 1) log.write('stdout', Buffer.alloc(64 * 1024, 'x'));
    log.write('stderr', Buffer.from('second warning\n'));

    expect(bytesOf(log.chunks(0, 'stderr')).toString()).toBe('first warning\nsecond warning\n');
    expect(log.stats().droppedBytes).toBe(100 * 64 * 1024 - 4096);
  });

  test('single bytes of two streams cost bounded memory', () => {
    const log = createTestLog({ maxBufferBytes: 64 * 1024, headBytes: 0 });

    for (let count = 0; count < 200_000; count += 1) {
      log.write(count % 2 === 0 ? 'stdout' : 'stderr', Buffer.from('x'));
    }

    expect([...log.chunks(0)].filter(({ type }) => type === 'chunk').length).toBeLessThanOrEqual(2 * 2048);
    expect(bytesOf(log.chunks(0)).length + log.stats().droppedBytes).toBe(200_000);
  });

  test('small pieces in a row become one chunk', () => {
    const log = createTestLog();

    for (let count = 0; count < 10_000; count += 1) log.write('stdout', Buffer.from('ab'));

    expect([...log.chunks(0)].length).toBeLessThan(10);
  });

  test('a small slice does not keep its large buffer', () => {
    const log = createTestLog();

    log.write('stdout', Buffer.alloc(4 * 1024 * 1024).subarray(0, 100 * 1024));

    for (const piece of log.chunks(0)) {
      if (piece.type === 'chunk') expect(piece.bytes.buffer.byteLength).toBeLessThan(300 * 1024);
    }
  });

  test('late output is labelled and displaces nothing', () => {
    const log = createTestLog({ maxBufferBytes: 1024, headBytes: 100 });
    log.write('stdout', Buffer.alloc(1024, 'a'));

    log.markEnd();
    log.write('stdout', Buffer.alloc(5000, 'z'));

    const pieces = [...log.chunks(0)];
    expect(bytesOf(pieces.filter((piece) => piece.type === 'chunk' && !piece.afterEnd)).toString()).toBe(
      'a'.repeat(1024),
    );
    expect(bytesOf(pieces.filter((piece) => piece.type === 'chunk' && piece.afterEnd)).toString()).toBe(
      'z'.repeat(1024),
    );
    expect(droppedIn(pieces)).toBe(5000 - 1024);
  });

  test('a secret split by the end is not shown', () => {
    const log = createTestLog({ secrets: ['hunter2'] });
    log.write('stdout', Buffer.from('key: hun'));

    log.markEnd('keep');
    log.write('stdout', Buffer.from('ter2\n'));

    expect(bytesOf(log.chunks(0)).toString()).toBe('key: [redacted]\n');
  });

  test('output after the end is shown at close', async () => {
    const log = createTestLog({ secrets: ['hunter2'] });
    log.write('stdout', Buffer.from('key: hun'));

    log.markEnd('keep');
    const atEnd = bytesOf(log.chunks(0)).toString();
    await log.close();

    expect(atEnd).toBe('key: ');
    expect(bytesOf(log.chunks(0)).toString()).toBe('key: hun');
  });

  test('positions at an offset add up to it', () => {
    fc.assert(
      fc.property(anyWrites(2_000), fc.nat(100_000), (writes, place) => {
        const log = createTestLog({ maxBufferBytes: 1024, headBytes: 100 });
        for (const { stream, bytes } of writes) log.write(stream, bytes);
        const offset = place % (log.bytes + 1);

        const { stdout, stderr, screen } = log.positionsAt(offset);

        expect(stdout + stderr + screen).toBe(offset);
      }),
    );
  });

  test('binary output is distinguished from text', () => {
    const text = createTestLog();
    const binary = createTestLog();

    text.write('stdout', Buffer.from('Grüße aus Köln 🎉\n\u001b[31mrot\u001b[0m\r\n'.repeat(50)));
    binary.write(
      'stdout',
      Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 197 + (index >> 3)) % 256)),
    );

    expect(text.stats().binary).toBe(false);
    expect(binary.stats().binary).toBe(true);
  });

  test('last output is null until a byte comes', () => {
    const clock = createVirtualClock();
    const log = createTestLog({ clock });
    const before = log.stats().lastOutputAtMs;

    clock.advance(50);
    log.write('stdout', Buffer.from('x'));

    expect(before).toBeNull();
    expect(log.stats().lastOutputAtMs).toBe(50);
  });

  test('a buffer below its least size is refused', () => {
    const create = () => createTestLog({ maxBufferBytes: 100 });

    expect(create).toThrow('maxBufferBytes must be a whole number of bytes, at least 1024, got 100');
  });

  test('a secret appears nowhere however it is cut', () => {
    const streams: OutputStream[] = ['stdout', 'stderr'];
    const log = createTestLog({ secrets: ['hunter2-secret'] });

    for (const part of ['the key is hunt', 'er2', '-secret!', ' bye']) {
      for (const stream of streams) log.write(stream, Buffer.from(part));
    }

    for (const stream of streams) {
      expect(bytesOf(log.chunks(0, stream)).toString()).toBe('the key is [redacted]! bye');
    }
  });

  test('the log file labels late output and hides secrets', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'troupe-log-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const path = join(directory, 'p1.log');
    const log = createTestLog({ logFile: { path, maxBytes: 1024 * 1024 }, secrets: ['hunter2'] });

    log.write('stdout', Buffer.from('token hun'));
    log.write('stdout', Buffer.from('ter2\n'));
    log.markEnd();
    log.write('stdout', Buffer.from('still here\n'));
    await log.close();

    expect(readFileSync(path, 'utf8')).toBe(
      'token [redacted]\n\n[troupe: the process has ended; the following output was written by processes that it left running]\nstill here\n',
    );
    expect(log.stats()).toMatchObject({ degraded: null, lines: 2 });
  });

  test('closing twice is the same closing', async () => {
    const log = createTestLog();

    const first = log.close();
    const second = log.close();
    log.write('stdout', Buffer.from('too late'));

    expect(second).toBe(first);
    await first;
    expect(log.bytes).toBe(0);
    expect(log.finished).toBe(true);
  });
});
