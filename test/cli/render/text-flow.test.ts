import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextFlow } from '../../../src/cli/render/text-flow.ts';
import { plainPage } from '../plain-page.ts';

function flowOf(pieces: readonly string[], width = 20): string[] {
  const flow = createTextFlow(plainPage(width));
  return [...pieces.flatMap((piece) => flow.push(piece)), ...flow.end()];
}

test('the growing row is shown before it ends', () => {
  const flow = createTextFlow(plainPage(20));

  const rows = flow.push('Hello wor');

  expect(rows).toEqual([]);
  expect(flow.open).toBe('● Hello wor');
});

test('a row stays once the next word does not fit', () => {
  const flow = createTextFlow(plainPage(12));

  const rows = flow.push('Hello to the world');

  expect(rows).toEqual(['● Hello to']);
  expect(flow.open).toBe('  the world');
});

test('each text begins with its mark', () => {
  const flow = createTextFlow(plainPage(20));

  const rows = [...flow.push('one'), ...flow.end(), ...flow.push('two'), ...flow.end()];

  expect(rows).toEqual(['● one', '● two']);
});

test('empty lines are kept inside a text, not before it', () => {
  expect(flowOf(['\n\na\n', '\nb'])).toEqual(['● a', '', '  b']);
});

test('escape sequences are stripped from a text', () => {
  expect(flowOf(['\x1b[31mred\x1b[0m \x1b]0;title\x07ok'])).toEqual(['● red ok']);
});

test('rows do not depend on how the text is split', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '日'), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(60)), (whole, cuts) => {
      const places = [...new Set([0, ...cuts.filter((cut) => cut <= whole.length), whole.length])].sort(
        (a, b) => a - b,
      );
      const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place));

      expect(flowOf(pieces, 12)).toEqual(flowOf([whole], 12));
    }),
  );
});
