import { describe, expect, test } from 'vitest';
import {
  gapAt,
  mapLines,
  parseLogMap,
  segmentAt,
  tailPathOf,
  toBaseLine,
  toFullLine,
  toGapLine,
  wholeLog,
} from '../../src/output/log-map.ts';

const endless = Number.POSITIVE_INFINITY;

describe('lines among the output', () => {
  test('move what follows, and stand for what is missing', () => {
    // "aaaaa" [line: 10 bytes, 7 missing] "bbb"
    const map = mapLines([{ at: 5, bytes: 10, missingBytes: 7 }]);

    expect(map).toEqual({
      ...{ gaps: [{ from: 5, to: 12 }], shift: -3, fullAt: [] },
      segments: [
        { offset: 0, to: 5, file: 'log', position: 0 },
        { offset: 12, to: endless, file: 'log', position: 15 },
      ],
    });
  });

  test('without missing output leave no gap', () => {
    const map = mapLines([{ at: 5, bytes: 10, missingBytes: 0 }]);

    expect(map.gaps).toEqual([]);
    expect(map.shift).toBe(-10);
  });

  test('beside each other are one gap', () => {
    const map = mapLines([
      { at: 0, bytes: 1, missingBytes: 2 },
      { at: 1, bytes: 1, missingBytes: 3 },
    ]);

    expect(map.gaps).toEqual([{ from: 0, to: 5 }]);
    expect(map.segments).toEqual([{ offset: 5, to: endless, file: 'log', position: 2 }]);
  });
});

test('a byte is in a gap up to its end', () => {
  const map = parseLogMap('gap 5 8\n');

  expect([4, 5, 7, 8].map((offset) => gapAt(map, offset))).toEqual([
    null,
    { from: 5, to: 8 },
    { from: 5, to: 8 },
    null,
  ]);
});

test('a byte is in the last segment that begins before it', () => {
  const map = mapLines([{ at: 5, bytes: 1, missingBytes: 0 }]);

  expect([0, 4, 5, 99].map((offset) => segmentAt(map, offset).position)).toEqual([0, 0, 6, 6]);
});

describe('lines of a status file', () => {
  const base = { headBytes: 10, offset: 100, tail: { from: 60, to: 90 } };

  test('are what is written', () => {
    expect(toGapLine({ from: 1, to: 2 })).toBe('\ngap 1 2\n');
    expect(toFullLine(7)).toBe('\nfull 7\n');
    expect(toBaseLine(base)).toBe('\nbase 10 100 60 90\n');
    expect(tailPathOf('/a.log')).toBe('/a.log.tail');
  });

  test('map a truncated log', () => {
    expect(parseLogMap(`gap 1 2\n${toBaseLine(base)}`)).toEqual({
      gaps: [
        { from: 10, to: 60 },
        { from: 90, to: 100 },
      ],
      segments: [
        { offset: 0, to: 10, file: 'log', position: 0 },
        { offset: 60, to: 90, file: 'tail', position: 0 },
        { offset: 100, to: endless, file: 'log', position: 10 },
      ],
      ...{ shift: 90, fullAt: [] },
    });
  });

  test('keep the lengths at which the disk was full', () => {
    expect(parseLogMap(`${toFullLine(7)}${toBaseLine(base)}${toFullLine(9)}`).fullAt).toEqual([7, 9]);
  });

  test.each([
    [
      'gap 5 8\ngap 1 2\n',
      [
        { from: 1, to: 2 },
        { from: 5, to: 8 },
      ],
    ],
    ['gap 1 5\ngap 5 8\n', [{ from: 1, to: 8 }]],
    ['gap 1 5\ngap 3 4\n', [{ from: 1, to: 5 }]],
    [
      'gap 1 4\ngap 5 8\n',
      [
        { from: 1, to: 4 },
        { from: 5, to: 8 },
      ],
    ],
    ['gap 5 5\n', []],
    ['gap 8 5\n', []],
  ])('%j are the gaps %j', (text, gaps) => {
    expect(parseLogMap(text).gaps).toEqual(gaps);
  });

  test.each([
    '',
    'gap 1 2',
    'gap 1\n',
    'gap a b\n',
    'xgap 1 2\n',
    'gap 1 2 3\n',
    'base 1 2 3\n',
    'full\n',
    'full x\n',
    'xfull 1\n',
  ])('%j is no such line', (text) => {
    expect(parseLogMap(text)).toEqual(wholeLog);
  });
});
