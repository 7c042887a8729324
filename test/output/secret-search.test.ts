import { expect, test } from 'vitest';
import { drawnSearch, exactSearch, toNeedle } from '../../src/output/secret-search.ts';

const secret = 'passwort-für-sudo';
const needle = toNeedle(secret);

test.each([
  ['a shift of the character set, as sgr0 ends', '\x1b[m\x0f'],
  ['another shift', '\x0e'],
  ['a delete', '\x7f'],
  ['a blank that is taken back', ' \b'],
  ['a control sequence of one character', '\u009b1m'],
  ['a title of one character', '\u009dtitle\x1b\\'],
  ['a line feed', '\r\n'],
])('a secret is found with %s between its letters', (_, between) => {
  const text = Buffer.from([...secret].join(between));

  expect(drawnSearch.findAll(text, needle)).toContainEqual({ from: 0, to: text.byteLength });
});

test('a secret that ends anywhere in a piece is held and breaks nothing', () => {
  // Typed again behind the end of a row.
  const text = Buffer.from('passwort-fü\rür-sudo');

  for (let end = needle.headBytes; end < text.byteLength; end += 1) {
    const piece = text.subarray(0, end);
    for (const search of [drawnSearch, exactSearch])
      expect(search.partialMatchAtEnd(piece, needle).bytes).toBe(end);
  }
  expect(drawnSearch.findAll(text, needle)).toContainEqual({ from: 0, to: text.byteLength });
});

test('a different character ends the match of a secret', () => {
  const text = Buffer.from('passwort-fü\rx');

  expect(drawnSearch.partialMatchAtEnd(text, needle).bytes).toBe(0);
  expect(exactSearch.findAll(text, needle)).toEqual([{ from: 0, to: 12 }]);
});
