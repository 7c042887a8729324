import { describe, expect, test } from 'vitest';
import { dropLeading, PausedSources, PendingFlushes, WriteQueue } from '../../src/output/write-queue.ts';
import { createVirtualClock } from '../../src/testing/index.ts';

const bytes = (length: number, fill = 1) => new Uint8Array(length).fill(fill);
const lengths = (pieces: readonly Uint8Array[]) => pieces.map(({ byteLength }) => byteLength);
const content = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString();

describe('a write queue', () => {
  test('collects small pieces, and keeps large ones', () => {
    const queue = new WriteQueue();
    for (const length of [1, 2, 4_096, 3]) queue.add(bytes(length));

    expect(queue.bytes).toBe(4_102);
    expect(lengths(queue.take(10_000))).toEqual([3, 4_096, 3]);
    expect([queue.bytes, queue.take(10_000)]).toEqual([0, []]);
  });

  test('copies small pieces, whose buffers may change', () => {
    const queue = new WriteQueue();
    const piece = Buffer.from('abc');
    queue.add(piece);
    piece.fill('x');

    expect(content(queue.take(10))).toBe('abc');
  });

  test('keeps the order in a new arena', () => {
    const queue = new WriteQueue();
    for (let count = 0; count < 5; count += 1) queue.add(bytes(4_095, count));

    const pieces = queue.take(100_000);

    expect(lengths(pieces)).toEqual([4 * 4_095, 4_095]);
    expect(Buffer.concat(pieces)).toEqual(Buffer.concat([0, 1, 2, 3, 4].map((fill) => bytes(4_095, fill))));
  });

  test('gives at most what is asked for, and the rest later', () => {
    const queue = new WriteQueue();
    queue.add(Buffer.from('abcdef'));

    expect(content(queue.take(4))).toBe('abcd');
    expect(queue.bytes).toBe(2);
    queue.add(Buffer.from('gh'));

    expect(content(queue.take(4))).toBe('efgh');
  });

  test('gives at most a thousand pieces at once', () => {
    const queue = new WriteQueue();
    for (let count = 0; count < 1_001; count += 1) queue.add(bytes(4_096, count % 256));

    expect(queue.take(10_000_000)).toHaveLength(1_000);
    expect(queue.take(10_000_000)[0]?.[0]).toBe(1_000 % 256);
  });

  test('puts back what was not written before the rest', () => {
    const queue = new WriteQueue();
    queue.add(Buffer.from('abcd'));
    const taken = queue.take(2);
    queue.restore(taken);

    expect(queue.bytes).toBe(4);
    expect(content(queue.take(10))).toBe('abcd');
  });

  test('skips the oldest bytes, and no more than it has', () => {
    const queue = new WriteQueue();
    queue.add(Buffer.from('abcd'));
    queue.skip(3);
    expect(content(queue.take(10))).toBe('d');
    queue.add(Buffer.from('ef'));
    queue.skip(9);

    expect([queue.bytes, queue.take(10)]).toEqual([0, []]);
  });
});

test.each([
  [0, ['ab', 'cd']],
  [1, ['b', 'cd']],
  [2, ['cd']],
  [3, ['d']],
  [4, []],
  [9, []],
])('without its first %i bytes a write is %j', (count, left) => {
  const pieces = ['ab', 'cd'].map((each) => Buffer.from(each));

  expect(dropLeading(pieces, count).map((piece) => Buffer.from(piece).toString())).toEqual(left);
});

describe('paused sources', () => {
  const arrange = () => {
    const clock = createVirtualClock();
    const calls: string[] = [];
    const sources = new PausedSources();
    const pause = (name: string) => sources.pause(clock, { limitMs: 100, onLimit: () => calls.push(name) });
    return { clock, calls, sources, pause };
  };

  test('wait until they may resume', async () => {
    const { calls, sources, pause } = arrange();
    pause('limit');
    sources.whenResumed(() => calls.push('resumed'));
    await Promise.resolve();
    expect([sources.isPaused, calls]).toEqual([true, []]);

    sources.resume();
    await Promise.resolve();
    sources.resume();
    await Promise.resolve();

    expect([sources.isPaused, calls]).toEqual([false, ['resumed']]);
  });

  test('resume at once where nothing is paused', async () => {
    const { calls, sources } = arrange();

    sources.whenResumed(() => calls.push('resumed'));
    expect(calls).toEqual([]);
    await Promise.resolve();

    expect(calls).toEqual(['resumed']);
  });

  test('reach their limit once, counted from the first pause', () => {
    const { clock, calls, pause } = arrange();
    pause('first');
    clock.advance(60);
    pause('second');

    clock.advance(39);
    expect(calls).toEqual([]);
    clock.advance(1_000);

    expect(calls).toEqual(['first']);
  });

  test('have no limit after they have resumed', () => {
    const { clock, calls, sources, pause } = arrange();
    pause('limit');

    sources.resume();
    clock.advance(1_000);

    expect(calls).toEqual([]);
  });
});

describe('a pending flush', () => {
  const arrange = async (upTo: number) => {
    const clock = createVirtualClock();
    const flushes = new PendingFlushes();
    let isOver = false;
    void flushes.add(clock, { upTo, limitMs: 100 }).then(() => {
      isOver = true;
    });
    const look = async () => {
      await new Promise(setImmediate);
      return isOver;
    };
    return { clock, flushes, look };
  };

  test('is over once its bytes are settled', async () => {
    const { flushes, look } = await arrange(5);

    flushes.settle(4);
    expect(await look()).toBe(false);
    flushes.settle(5);

    expect(await look()).toBe(true);
  });

  test('is over at its time limit', async () => {
    const { clock, look } = await arrange(5);

    clock.advance(99);
    expect(await look()).toBe(false);
    clock.advance(1);

    expect(await look()).toBe(true);
  });
});
