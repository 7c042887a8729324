import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beforeLine, createLineSearch } from '../../src/output/line-search.ts';
import type { OutputChunk } from '../../src/output/output-chunk.ts';
import type { OutputStream } from '../../src/output/output-sink.ts';
import { toPlainText } from '../../src/output/plain-text.ts';

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

test('an expression that explodes is a readable problem', () => {
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

test('earlier output counts only as the start of a line', () => {
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

test('earlier output is not searched until more comes', () => {
  const from = { stdout: 6, stderr: 0, screen: 0 };
  const search = createLineSearch({ type: 'text', text: 'error' }, { maxLines: 5, from });

  search.push(chunk(Buffer.from('error ')));

  expect(search.search()).toMatchObject({ count: 0 });
});

test('a text and its expression find the same', () => {
  const line = fc.stringMatching(/^[ab \r\t]{0,6}(\x1b\[1m)?[ab]{0,3}\r?$/);
  const long = fc.constant('a'.repeat(70_000));

  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 20, arbitrary: line }, long), { maxLength: 40 }), (lines) => {
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const [byText, byPattern] = ['ab', '(?:ab)'].map((pattern) => {
        const search = createLineSearch({ type: 'pattern', pattern }, { maxLines: 3 });
        search.push(chunk(bytes));
        return search.search();
      });
      const seen = lines.map(toPlainText).filter((each) => each.includes('ab'));

      expect(byText).toEqual({ type: 'matches', count: seen.length, lines: seen.slice(-3) });
      expect(byPattern).toEqual(byText);
    }),
    { numRuns: 50, examples: [[['ab\r\t\r']]] },
  );
});

test('a match searched in parts is counted once', () => {
  const search = createLineSearch({ type: 'pattern', pattern: '[05]$' }, { maxLines: 2 });
  const lines = Array.from({ length: 100_000 }, (_, line) => `line ${line}`);
  search.push(chunk(Buffer.from(`${lines.join('\n')}\nunfinished 0`)));
  const waitingChars = [search.waitingChars];
  let count = 0;

  while (waitingChars.at(-1) !== 0) {
    const found = search.search({ maxChars: 128 * 1024 });
    count += found.type === 'matches' ? found.count : Number.NaN;
    waitingChars.push(search.waitingChars);
  }

  expect(count).toBe(20_001);
  expect(waitingChars.length).toBeGreaterThan(5);
  for (const [part, left] of waitingChars.slice(1).entries())
    expect((waitingChars[part] ?? 0) - left).toBeLessThan(300 * 1024);
});

const dots = '.'.repeat(6_000);

test.for(['server ready', '^server\\b'])(
  'the beginning of a long unfinished line is found (%s)',
  (pattern) => {
    expect(counts(pattern, [Buffer.from(`server ready${dots}`)])).toEqual([1]);
    expect(counts(pattern, [Buffer.from(`\x1b[1mserver\x1b[0m ready${dots}`)])).toEqual([1]);
  },
);

test.for(['a', '\x1b[1ma', `a${'.'.repeat(70_000)}`])(
  'a line begins where it begins, not where a search does',
  (begin) => {
    const pieces = [begin, dots, dots, dots, '\n'].map((text) => Buffer.from(text));

    expect(counts('^\\.{3}', pieces)).toEqual([0, 0, 0, 0, 0]);
  },
);

test('a redrawn line begins at the first column', () => {
  const frames = Array.from({ length: 900 }, (_, frame) => `\r${frame}%`);
  const [early, late] = [frames.slice(0, 700).join(''), frames.slice(700, 778).join('')];
  const countIn = (pattern: string, texts: readonly string[]) =>
    counts(
      pattern,
      texts.map((text) => Buffer.from(text)),
    );

  expect(countIn('^777%', [dots, early, late])).toEqual([0, 0, 1]);
  expect(countIn('^ready', [frames.join(''), dots, '\rready'])).toEqual([0, 0, 1]);
});

test('a match in an unfinished line is found wherever it is cut', () => {
  const place = fc.nat(10_000);
  fc.assert(
    fc.property(
      place,
      fc.array(place, { maxLength: 6 }),
      fc.constantFrom('.', '\x1b[m.'),
      (at, cuts, unit) => {
        const bytes = Buffer.from(`${unit.repeat(at)}match${unit.repeat(10_000 - at)}`);
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((to, index) => bytes.subarray(places[index], to));

        const found = counts('ma[t]ch', [...pieces, Buffer.from('\n')]);

        expect(found.filter((count) => count === 1)).toHaveLength(1);
        expect(found.at(-1)).toBe(0);
      },
    ),
    { numRuns: 12 },
  );
});

test('a line begun before is known from its beginning', () => {
  const text = `${'old\n'.repeat(40_000)}error: and `;
  const from = { stdout: text.length, stderr: 0, screen: 0 };
  const search = createLineSearch({ type: 'pattern', pattern: '^error: and so on' }, { maxLines: 2, from });
  const begin = beforeLine(from).stdout;

  search.push({ ...chunk(Buffer.from(text.slice(begin))), offset: begin, position: begin });
  const before = search.search();
  search.push({ ...chunk(Buffer.from('so on')), offset: text.length, position: text.length });

  expect(before).toMatchObject({ count: 0 });
  expect(search.search()).toEqual({ type: 'matches', count: 1, lines: ['error: and so on'] });
});

test('a line that has counted before does not again', () => {
  const text = 'old\nerror: retry? ';
  const from = { stdout: text.length, stderr: 0, screen: 0 };
  const counted = (pieces: readonly string[]) => {
    const search = createLineSearch(
      { type: 'pattern', pattern: 'error' },
      { maxLines: 2, from, counted: ['stdout'] },
    );
    let position = 0;
    for (const piece of pieces) {
      search.push({ ...chunk(Buffer.from(piece)), offset: position, position });
      position += piece.length;
    }
    return [search.search(), search.counted];
  };

  const once = [{ type: 'matches', count: 1, lines: ['error: two'] }, []];
  expect(counted([`${text}yes\nerror: two\n`])).toEqual(once);
  expect(counted([text, 'yes\nerror: two\n'])).toEqual(once);
  expect(counted([text, 'yes'])).toEqual([{ type: 'matches', count: 0, lines: [] }, ['stdout']]);
});
