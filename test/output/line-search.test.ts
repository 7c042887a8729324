import { expect, test } from 'vitest';
import { createLineSearch } from '../../src/output/line-search.ts';
import type { OutputPiece } from '../../src/output/output-chunk.ts';
import type { OutputStream } from '../../src/output/output-sink.ts';

const chunk = (bytes: Uint8Array, stream: OutputStream = 'stdout'): OutputPiece => {
  return { type: 'chunk', stream, offset: 0, position: 0, bytes, atMs: 0, afterEnd: false };
};
const counts = (pattern: string, pieces: readonly Uint8Array[]) => {
  const search = createLineSearch(pattern, { maxLines: 5 });
  return pieces.map((bytes) => {
    search.push(chunk(bytes));
    const found = search.search();
    return found.type === 'matches' ? found.count : found.problem;
  });
};

test('a line counts once at every cut', () => {
  const bytes = Buffer.from('one\r\n\x1b[32m🙂 two\x1b[0m done\nthree two\n');

  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const found = counts('two', [bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(
      found.reduce((sum: number, count) => sum + Number(count), 0),
      `cut at ${cut}`,
    ).toBe(2);
  }
});

test('byte by byte is the same', () => {
  const bytes = Buffer.from('🙂🙂 match\nno\nmatch\n');

  const found = counts(
    '🙂 match|^match',
    [...bytes].map((byte) => Uint8Array.of(byte)),
  );

  expect(found.filter((count) => count === 1)).toHaveLength(2);
  expect(found.filter((count) => count === 0)).toHaveLength(bytes.length - 2);
});

test('only the newest lines are given out', () => {
  const search = createLineSearch('x', { maxLines: 2 });
  search.push(chunk(Buffer.from('x1\nx2\ny\nx3\nx4')));

  expect(search.search()).toEqual({ type: 'matches', count: 4, lines: ['x3', 'x4'] });
  expect(search.search()).toEqual({ type: 'matches', count: 0, lines: [] });
});

test('a gap tears a line apart', () => {
  const search = createLineSearch('^ab$', { maxLines: 2 });

  search.push(chunk(Buffer.from('a')));
  search.push({ type: 'gap', stream: 'stdout', from: 1, to: 9, position: 1, droppedBytes: 8 });
  search.push(chunk(Buffer.from('b\n')));

  expect(search.search()).toMatchObject({ count: 0 });
});

test('an expression that explodes is a problem in words', () => {
  const [found] = counts('^(a+)+$', [Buffer.from(`${'a'.repeat(40)}!\n`)]);

  expect(found).toContain('takes too long');
});
