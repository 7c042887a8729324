import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { clip, pad, textWidth, wrap } from '../../../src/cli/render/wrap.ts';

test.each([
  ['what fits stays as it is', 'a  b', 10, ['a  b']],
  ['rows break at blanks', 'one two three', 7, ['one two', 'three']],
  ['later rows keep the indent', '  one two three', 9, ['  one two', '  three']],
  ['a word that fits nowhere is broken', 'abcdefgh', 3, ['abc', 'def', 'gh']],
  ['a long word begins a row of its own', 'ab cdefgh', 4, ['ab', 'cdef', 'gh']],
  ['wide characters take two columns', '日本語 日本', 6, ['日本語', '日本']],
  ['an emoji is never cut in two', '👩‍👩‍👧👩‍👩‍👧', 3, ['👩‍👩‍👧', '👩‍👩‍👧']],
  ['an empty line is one row', '', 5, ['']],
] as const)('%s', (_, line, width, expected) => {
  const rows = wrap(line, width);

  expect(rows).toEqual(expected);
});

test('a clipped line ends with an ellipsis', () => {
  expect(clip('abcdef', 4)).toBe('abc…');
  expect(clip('日本語', 4)).toBe('日…');
  expect(clip('abcd', 4)).toBe('abcd');
});

test('padding counts columns, not characters', () => {
  expect(pad('日本', 6)).toBe('日本  ');
  expect(pad('longer', 3)).toBe('longer');
});

test.each(['', 'plain', 'é ü ß', '– — … ⏎ · ● › → ← ⇢ ◆ │ └ ␛ �', '日本語', '👍🏽', 'e\u0301'])(
  'the width of %j is that of a terminal',
  (text) => {
    expect(textWidth(text)).toBe(stringWidth(text));
  },
);
