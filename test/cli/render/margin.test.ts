import { expect, test } from 'vitest';
import { toClockTime } from '../../../src/cli/render/local-time.ts';
import { shortenLines, toMark, toMarked, toQuoted } from '../../../src/cli/render/margin.ts';
import { createPage } from '../../../src/cli/render/page.ts';
import { toColoured, toPrintable, toVisible } from '../../../src/cli/render/printable.ts';
import { markedPage, plainPage } from '../plain-page.ts';

test.each([
  ['you', '{cyan|›} '],
  ['agent', '{green|●} '],
  ['call', '{yellow|→} '],
  ['answer', '{yellow|←} '],
  ['process', '{blue|⇢} '],
  ['notice', '{magenta|◆} '],
  ['question', '{bold,yellow|?} '],
  ['trouble', '{red|!} '],
  ['remark', '{dim|·} '],
  [null, '  '],
] as const)('the mark of %s is %s', (voice, mark) => {
  expect(toMark(voice, markedPage(80))).toBe(mark);
});

test('a marked text is wrapped beside its mark, without blanks at its ends', () => {
  expect(toMarked({ voice: 'agent', text: 'one two\n\nthree' }, plainPage(7))).toEqual([
    '● one',
    '  two',
    '',
    '  three',
  ]);
});

test('a marked text is coloured row by row', () => {
  expect(toMarked({ voice: 'agent', text: 'a\n\nb', style: 'bold' }, markedPage(80))).toEqual([
    '{green|●} {bold|a}',
    '',
    '  {bold|b}',
  ]);
});

test('quoted lines stand behind a bar, and are cut', () => {
  expect(toQuoted(['abcdefghij', '   ', 'abc  '], plainPage(12))).toEqual(['  │ abcdefg…', '  │', '  │ abc']);
  expect(toQuoted(['abcdefgh'], plainPage(12))).toEqual(['  │ abcdefgh']);
  expect(toQuoted(['a'], markedPage(12))).toEqual(['  {dim|│} {dim|a}']);
});

test.each([
  [4, ['0', '1', '2', '3']],
  [5, ['0', '1', '2', '3', '4']],
  [6, ['0', '1', '… 2 more lines …', '4', '5']],
  [9, ['0', '1', '… 5 more lines …', '7', '8']],
])('%i lines are shortened to the first and last two', (count, shown) => {
  const lines = Array.from({ length: count }, (_, n) => String(n));

  // A single line is not worth a replacement.
  expect(shortenLines(lines, { first: 2, last: 2 })).toEqual(shown);
});

test('lines can be shortened to the last ones', () => {
  expect(shortenLines(['a', 'b', 'c'], { first: 0, last: 1 })).toEqual(['… 2 more lines …', 'c']);
});

test.each([
  ['a\tb', 'a    b', 'a    b', 'a b'],
  ['a\nb', 'a\nb', 'a\nb', 'a ⏎ b'],
  ['a\r\nb', 'a\nb', 'a\nb', 'a␍ ⏎ b'],
  ['a\rb', 'ab', 'ab', 'a␍b'],
  ['\x1b[31mr\x1b[0m', 'r', '\x1b[31mr\x1b[0m', '␛[31mr␛[0m'],
  ['a\x1b[3Cb', 'ab', 'a   b', 'a␛[3Cb'],
  ['a\x1b[Cb', 'ab', 'a b', 'a␛[Cb'],
  ['a\x1b[0Cb', 'ab', 'a b', 'a␛[0Cb'],
  ['a\x1b[2Jb', 'ab', 'ab', 'a␛[2Jb'],
  ['a\x7fb\x85c', 'abc', 'abc', 'a␡b�c'],
  ['a\u202eb\u2066c', 'abc', 'abc', 'a�b�c'],
  ['a\x00b', 'ab', 'ab', 'a␀b'],
])('the foreign text %j is made harmless', (text, printable, coloured, visible) => {
  expect([toPrintable(text), toColoured(text), toVisible(text)]).toEqual([printable, coloured, visible]);
});

test('a move to the right has a bound', () => {
  expect(toColoured('\x1b[99999Cx')).toHaveLength(1_001);
});

test('a time of day has two digits each', () => {
  expect(toClockTime(new Date(2026, 0, 1, 3, 4, 5).getTime())).toBe('03:04:05');
  expect(toClockTime(new Date(2026, 0, 1, 13, 14, 15).getTime())).toBe('13:14:15');
  expect(toClockTime(9e15)).toBe('9000000000000000');
});

test.each([
  [{ isTTY: false, columns: 80 }, {}, Number.POSITIVE_INFINITY],
  [{ isTTY: true, columns: 80 }, {}, 80],
  [{ isTTY: true, columns: 20 }, {}, 40],
  [{ isTTY: true, columns: 300 }, {}, 120],
  [{ isTTY: true, columns: 300 }, { maxWidth: 500 }, 300],
])('the page of %j with %j is %i wide', (stream, options, width) => {
  expect(createPage(stream as never, options).width).toBe(width);
});
