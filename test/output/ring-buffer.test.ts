import { describe, expect, test } from 'vitest';
import { RingBuffer } from '../../src/output/ring-buffer.ts';

describe('a ring of bytes', () => {
  /** Appends texts one after the other, a second apart unless they say when. */
  function fill(maxBytes: number, ...texts: readonly (string | readonly [string, number])[]) {
    const ring = new RingBuffer(maxBytes);
    let offset = 0;
    for (const [index, each] of texts.entries()) {
      const [text, atMs] = typeof each === 'string' ? [each, index * 1_000] : each;
      ring.append(Buffer.from(text), { offset, position: offset, atMs });
      offset += text.length;
    }
    return ring;
  }
  function runsOf(ring: RingBuffer) {
    const runs: string[] = [];
    for (let run = ring.at(0); run !== null; run = ring.at(run.number + 1))
      runs.push(`${run.offset} ${Buffer.from(run.bytes)} at ${run.atMs}`);
    return runs;
  }

  test('keeps exactly the newest', () => {
    const ring = fill(5, 'abc', 'def', 'g');

    expect(runsOf(ring)).toEqual(['2 c at 0', '3 def at 1000', '6 g at 2000']);
    expect([ring.keptBytes, ring.surplusBytes, ring.end]).toEqual([5, 0, 3]);
  });

  test('keeps the end of what is longer than itself', () => {
    expect(runsOf(fill(3, 'a', 'bcdefg'))).toEqual(['4 efg at 1000']);
  });

  test('keeps nothing of nothing', () => {
    expect(runsOf(fill(3, ''))).toEqual([]);
  });

  test('makes one run of what arrives within a tenth of a second', () => {
    expect(runsOf(fill(99, ['a', 0], ['b', 99], ['c', 100], ['d', 150]))).toEqual([
      '0 ab at 0',
      '2 cd at 100',
    ]);
  });

  test('keeps what is retained beyond its limit', () => {
    const ring = fill(2, 'ab');
    ring.retain({ position: 1, offset: 1 });
    ring.append(Buffer.from('cdef'), { offset: 2, position: 2, atMs: 5_000 });

    expect(runsOf(ring)).toEqual(['1 b at 0', '2 cdef at 5000']);
    expect(ring.surplusBytes).toBe(3);
    ring.retain(null);

    expect(runsOf(ring)).toEqual(['4 ef at 5000']);
    expect(ring.surplusBytes).toBe(0);
  });

  test('shrinks, and never grows', () => {
    const ring = fill(6, 'abcdef');
    ring.shrink(4);
    ring.shrink(9);

    expect(runsOf(ring)).toEqual(['2 cdef at 0']);
  });

  test('finds the first run beyond a count', () => {
    const ring = fill(99, 'ab', 'cd', 'ef');

    expect([0, 1, 2, 5, 6, 9].map((count) => ring.firstBeyond('offset', count))).toEqual([0, 0, 1, 2, 3, 3]);
    expect(ring.at(3)).toBeNull();
  });

  test('gives the oldest run for one that was dropped, with its number', () => {
    const ring = fill(2, 'ab', 'cd', 'ef');

    expect(ring.at(0)).toMatchObject({ number: 2, offset: 4, position: 4 });
    expect(ring.firstBeyond('position', 0)).toBe(2);
  });

  test('bounds the number of runs, and keeps their numbers', () => {
    const ring = fill(64, ...Array.from({ length: 300 }, (_, index) => `${index % 10}`));

    expect(ring.end).toBe(300);
    expect(ring.at(0)?.number).toBe(236);
    expect(ring.keptBytes).toBe(64);
  });
});
