import { expect, test } from 'vitest';
import { redactText } from '../../src/output/redact.ts';

test('secrets that overlap leave nothing of either', () => {
  expect(redactText('1abcdefghijkl2', ['abcdefgh', 'efghijkl'])).toBe('1[redacted]2');
});

test('a secret that lies in the mark changes no mark', () => {
  expect(redactText('hunter2 redacted', ['hunter2', 'redacted'])).toBe('[redacted] [redacted]');
  expect(redactText('[redacted]', ['redacted'])).toBe('[redacted]');
  expect(redactText('a[redacted]b', ['a[redacted]b'])).toBe('[redacted]');
});

test('half a secret in a text is not shown', () => {
  expect(redactText('cannot find hunter2-', ['hunter2-secret'])).toBe('cannot find [redacted]');
});

test('a secret in a text counts without its line end', () => {
  expect(redactText('key=hunter2.', ['hunter2\n'])).toBe('key=[redacted].');
});

test('a text without secrets stays the same', () => {
  const text = 'half a character: \ud83d';

  expect(redactText(text, ['hunter2'])).toBe(text);
  expect(redactText(text, ['', '\n'])).toBe(text);
});
