import { describe, expect, test } from 'vitest';
import { createStringLimit, cutWork } from '../../../src/spawn/terminal/emulator-limits.ts';

/** Passes pieces through one filter. */
function filter(...pieces: readonly string[]): readonly string[] {
  const limit = createStringLimit();
  return pieces.map(limit);
}

const long = 'x'.repeat(5_000);
const kept = 'x'.repeat(4_096);

describe('a string in the output of a terminal', () => {
  test.each([
    ['a title', '\x1b]', '\x07'],
    ['a title with the end of a device string', '\x1b]', '\x1b\\'],
    ['a title in single characters', '\x9d', '\x9c'],
    ['a cancelled title', '\x1b]', '\x18'],
    ['a replaced title', '\x1b]', '\x1a'],
    ['a device string', '\x1bP', '\x1b\\'],
    ['a device string in single characters', '\x90', '\x9c'],
    ['a cancelled device string', '\x1bP', '\x18'],
    ['a replaced device string', '\x1bP', '\x1a'],
  ])('has 4096 characters at most: %s', (_, begins, ends) => {
    expect(filter(`a${begins}${long}${ends}b`)).toEqual([`a${begins}${kept}${ends}b`]);
  });

  test('ends with a bell only where it is a title', () => {
    expect(filter(`\x1bP${long}\x07${long}\x1b\\b`)).toEqual([`\x1bP${kept}\x1b\\b`]);
  });

  test('keeps its length, and each one anew', () => {
    expect(filter(`\x1b]${kept}\x07b\x1b]${kept}\x07`)).toEqual([`\x1b]${kept}\x07b\x1b]${kept}\x07`]);
  });

  test('is one in all pieces', () => {
    expect(filter('a\x1b]12', kept, 'more', '\x07b')).toEqual(['a\x1b]12', kept.slice(2), '', '\x07b']);
  });

  test('may begin with the end of a piece', () => {
    expect(filter('a\x1b', `]${long}\x07b`)).toEqual(['a', `\x1b]${kept}\x07b`]);
    expect(filter('a\x1b', '[31mb')).toEqual(['a', '\x1b[31mb']);
  });

  test('leaves other text alone', () => {
    const text = `plain \x1b[31m${long}\x07\x18 \x1b`;

    expect(filter(text, 'c')).toEqual([text.slice(0, -1), '\x1bc']);
  });
});

describe('work', () => {
  const places = 2_000;
  const cut = (text: string, bytes = text.length) => cutWork(text, { places, bytes });

  test('is one piece with the weight of its bytes for plain text', () => {
    expect(cut('x'.repeat(100_000))).toEqual([{ text: 'x'.repeat(100_000), weight: 100_000 }]);
    expect(cut('', 7)).toEqual([{ text: '', weight: 7 }]);
  });

  test.each([
    '\x1b[2J',
    '\x1b[J',
    '\x1b[3L',
    '\x1b[M',
    '\x1b[S',
    '\x1b[T',
    '\x9b2J',
    '\x1b[2 @',
    "\x1b[2'}",
    '\x1bc',
    '\x1b#8',
    '\x1b[?47h',
    '\x1b[?1049l',
    '\x1b[?2J',
  ])('weighs the cells of the whole screen for the sequence %j', (order) => {
    expect(cut(order, 10)).toEqual([{ text: order, weight: 10 + 1.5 * places }]);
  });

  test.each(['\x1b[31m', '\x1b[2K', '\x1b[1;1H', '\x1b[?25h', '\x1b7'])(
    'weighs nothing more for the sequence %j, which touches a line',
    (order) => {
      expect(cut(order, 10)).toEqual([{ text: order, weight: 10 }]);
    },
  );

  test('is cut where 32 768 cells are touched', () => {
    const order = '\x1b[2J';
    const pieces = cut(order.repeat(40), 160);

    // 17 times 2000 cells are the first above the limit.
    expect(pieces).toEqual([
      { text: order.repeat(17), weight: 17 * 3_000 },
      { text: order.repeat(17), weight: 17 * 3_000 },
      { text: order.repeat(6), weight: 6 * 3_000 + 160 },
    ]);
  });

  test('counts a hundred cells for each small sequence', () => {
    const order = '\x1b[31mx';
    const pieces = cut(order.repeat(400), 0);

    expect(pieces).toEqual([
      { text: order.repeat(328), weight: 0 },
      { text: order.repeat(72), weight: 0 },
    ]);
  });
});
