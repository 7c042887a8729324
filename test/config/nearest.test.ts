import { expect, test } from 'vitest';
import { nearest } from '../../src/config/nearest.ts';

test.each([
  ['timeuot', 'timeout'],
  ['TIMEOUT', 'timeout'],
  ['killgrace', 'killGrace'],
  ['maxParallelTool', 'maxParallelTools'],
])('%s is understood as %s', (word, meant) => {
  expect(nearest(word, ['timeout', 'killGrace', 'maxParallelTools'])).toBe(meant);
});

test('a word that is close to none means none', () => {
  expect(nearest('colour', ['timeout', 'killGrace'])).toBeNull();
  expect(nearest('colour', [])).toBeNull();
});
