import { describe, expect, test } from 'vitest';
import {
  addRun,
  findHighlights,
  readStyledLines,
  type StyledRun,
  toFill,
  toUnicodeLines,
} from '../../../src/spawn/terminal/styled-lines.ts';

const run = (row: number, text: string, fill = ''): StyledRun => ({ row, text, fill });
const plain = 'x'.repeat(40);
const fillsOf = (line: string) => readStyledLines([line]).runs.map(({ fill }) => fill);

describe('highlights', () => {
  test('are the texts of another fill, without blanks around them', () => {
    expect(findHighlights([run(0, plain), run(1, '  OK  ', 'reverse '), run(2, '   ', '44')])).toEqual([
      { row: 1, text: 'OK' },
    ]);
  });

  test('are not the fill under half of the text', () => {
    expect(findHighlights([run(0, 'abcd'), run(1, 'efgh', '44')])).toEqual([]);
    expect(findHighlights([run(0, 'abcde'), run(1, 'efgh', '44')])).toEqual([{ row: 1, text: 'efgh' }]);
    expect(findHighlights([run(0, 'abcde   '), run(1, 'ef', '44'), run(2, 'ghi', '44')])).toEqual([]);
  });

  test('are twenty at most', () => {
    const runs = Array.from({ length: 21 }, (_, row) => run(row, 'a', '44'));

    expect(findHighlights([run(99, plain), ...runs])).toHaveLength(20);
  });
});

test('runs of the same row and fill are one', () => {
  const runs: StyledRun[] = [];
  for (const each of [run(0, 'a'), run(0, 'b'), run(0, '', '7'), run(0, 'c', '7'), run(1, 'd', '7')])
    addRun(runs, each);

  expect(runs).toEqual([run(0, 'ab'), run(0, 'c', '7'), run(1, 'd', '7')]);
});

test('reverse video fills with the foreground', () => {
  expect(toFill({ foreground: '31', background: '44', isReverse: false })).toBe('44');
  expect(toFill({ foreground: '31', background: '44', isReverse: true })).toBe('reverse 31');
});

test.each([
  ['30', 'x\x1b[30;7my', 'reverse 30'],
  ['37', 'x\x1b[37;7my', 'reverse 37'],
  ['90', 'x\x1b[90;7my', 'reverse 90'],
  ['97', 'x\x1b[97;7my', 'reverse 97'],
  ['40', 'x\x1b[40my', '40'],
  ['47', 'x\x1b[47my', '47'],
  ['100', 'x\x1b[100my', '100'],
  ['107', 'x\x1b[107my', '107'],
  ['48;5;12', 'x\x1b[48;5;12my', '5 12'],
  ['48;2;1;2;3', 'x\x1b[48;2;1;2;3my', '2 1 2 3'],
  ['48:2:1:2:3', 'x\x1b[48:2:1:2:3my', '2 1 2 3'],
  ['38;5;9 with reverse', 'x\x1b[38;5;9;7my', 'reverse 5 9'],
  ['a colour and what follows it', 'x\x1b[48;5;12;38;5;7;7my', 'reverse 5 7'],
])('SGR %s is a fill of its own', (_, line, fill) => {
  expect(fillsOf(line)).toEqual(['', fill]);
});

test.each([
  ['0', '\x1b[31;44;7mx\x1b[0my', ['reverse 31', '']],
  ['nothing', '\x1b[44mx\x1b[my', ['44', '']],
  ['27', '\x1b[44;7mx\x1b[27my', ['reverse ', '44']],
  ['39', '\x1b[31;7mx\x1b[39my', ['reverse 31', 'reverse ']],
  ['49', '\x1b[44mx\x1b[49my', ['44', '']],
])('SGR %s resets', (_, line, fills) => {
  expect(fillsOf(line)).toEqual(fills);
});

test.each(['29', '38', '39', '48', '89', '98', '99', '108', '1'])('SGR %s alone is no fill', (code) => {
  expect(fillsOf(`x\x1b[${code}my`)).toEqual(['']);
});

test('a style continues on the next line', () => {
  expect(readStyledLines(['a\x1b[44mb', 'c'])).toEqual({
    texts: ['ab', 'c'],
    runs: [run(0, 'a'), run(0, 'b', '44'), run(1, 'c', '44')],
  });
});

test('links have no text of their own', () => {
  const { texts } = readStyledLines(['\x1b]8;;https://a\x1b\\b\x1b]8;;\x07c']);

  expect(texts).toEqual(['bc']);
});

test('letters between SO and SI draw lines, on the next line, too', () => {
  expect(toUnicodeLines(['q\x0elqk\x1b[7mx\x0fq', '\x0emq', 'j~', '\x0fq'])).toEqual([
    'q┌─┐\x1b[7m│q',
    '└─',
    '┘·',
    'q',
  ]);
});
