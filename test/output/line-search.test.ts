import { expect, test } from 'vitest';
import { createLineSearch } from '../../src/output/line-search.ts';
import type { OutputChunk } from '../../src/output/output-chunk.ts';
import type { OutputStream } from '../../src/output/output-sink.ts';

const chunk = (bytes: Uint8Array, stream: OutputStream = 'stdout'): OutputChunk => {
  return { type: 'chunk', stream, offset: 0, position: 0, bytes, atMs: 0, afterEnd: false };
};
const counts = (pattern: string, pieces: readonly Uint8Array[]) => {
  const search = createLineSearch({ type: 'pattern', pattern }, { maxLines: 5 });
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
  const search = createLineSearch({ type: 'pattern', pattern: 'x' }, { maxLines: 2 });
  search.push(chunk(Buffer.from('x1\nx2\ny\nx3\nx4')));

  expect(search.search()).toEqual({ type: 'matches', count: 4, lines: ['x3', 'x4'] });
  expect(search.search()).toEqual({ type: 'matches', count: 0, lines: [] });
});

test('a gap tears a line apart', () => {
  const search = createLineSearch({ type: 'pattern', pattern: '^ab$' }, { maxLines: 2 });

  search.push(chunk(Buffer.from('a')));
  search.push({ type: 'gap', stream: 'stdout', from: 1, to: 9, position: 1, droppedBytes: 8 });
  search.push(chunk(Buffer.from('b\n')));

  expect(search.search()).toMatchObject({ count: 0 });
});

test('an expression that explodes is a problem in words', () => {
  const [found] = counts('^(a+)+$', [Buffer.from(`${'a'.repeat(40)}!\n`)]);

  expect(found).toContain('takes too long');
});

test('a text is no expression', () => {
  const search = createLineSearch({ type: 'text', text: '(a.c)' }, { maxLines: 2 });
  search.push(chunk(Buffer.from('abc\n(abc)\nsee (a.c)\n')));

  expect(search.search()).toEqual({ type: 'matches', count: 1, lines: ['see (a.c)'] });
});

test('a text is found however its characters are cut', () => {
  const search = createLineSearch({ type: 'text', text: 'größe' }, { maxLines: 1 });

  const found = [...Buffer.from('größe\n')].map((byte) => {
    search.push(chunk(Uint8Array.of(byte)));
    return search.search();
  });

  expect(found.map((each) => each.type === 'matches' && each.count)).toEqual([0, 0, 0, 0, 0, 0, 1, 0]);
});

test('of what lies before only a line that goes on counts', () => {
  const bytes = Buffer.from('error one\nerror two\nerror three\n');
  const until = Buffer.from('error one\nerror');

  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const search = createLineSearch({ type: 'text', text: 'error' }, { maxLines: 5, from: until.length });
    for (const [start, end] of [
      [0, cut],
      [cut, bytes.length],
    ])
      search.push({ ...chunk(bytes.subarray(start, end)), offset: start ?? 0, position: start ?? 0 });

    const expected = { type: 'matches', count: 2, lines: ['error two', 'error three'] };
    expect(search.search(), `cut at ${cut}`).toEqual(expected);
  }
});

test('what lies before is none of its business until something comes', () => {
  const from = { stdout: 6, stderr: 0, screen: 0 };
  const search = createLineSearch({ type: 'text', text: 'error' }, { maxLines: 5, from });

  search.push(chunk(Buffer.from('error ')));

  expect(search.search()).toMatchObject({ count: 0 });
});
