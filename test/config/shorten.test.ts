import { expect, test } from 'vitest';
import { quote, shorten } from '../../src/config/quote.ts';

test('a text that fits stays as it is', () => {
  const texts = ['', 'abc', '🐚a'];

  const shortened = texts.map((text) => shorten(text, 3));

  expect(shortened).toEqual(texts);
});

test('a text that was cut ends in an ellipsis', () => {
  const text = 'abcdef';

  const shortened = [5, 1, 0].map((maxLength) => shorten(text, maxLength));

  expect(shortened).toEqual(['abcd…', '…', '']);
});

test('no character is cut in half', () => {
  const text = '🐚🐚🐚🐚';

  const shortened = [7, 6, 5, 4, 3, 2].map((maxLength) => shorten(text, maxLength));

  expect(shortened).toEqual(['🐚🐚🐚…', '🐚🐚…', '🐚🐚…', '🐚…', '🐚…', '…']);
  expect(shortened.every((each) => each.isWellFormed())).toBe(true);
});

test('quoted words hold no half character', () => {
  const words = `${'a'.repeat(78)}${'🐚'.repeat(9)}`;

  const quoted = quote(words);

  expect(quoted).toBe(`"${'a'.repeat(78)}…"`);
});
