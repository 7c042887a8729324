import { expect, test } from 'vitest';
import { toFollowedText } from '../../src/output/followed-text.ts';
import { positionAfter, takeFirst } from '../../src/output/output-chunk.ts';
import { toChunk, toGap } from './arrange.ts';

test('a piece ends where its stream continues', () => {
  expect(positionAfter(toChunk('abc', { offset: 9, position: 4 }))).toBe(7);
  expect(positionAfter(toGap(5, { offset: 9, position: 4 }))).toBe(9);
});

test('the first items are taken, and no more from the source', () => {
  let taken = 0;
  function* count() {
    for (;;) yield ++taken;
  }

  expect([...takeFirst(count(), 3)]).toEqual([1, 2, 3]);
  expect(taken).toBe(3);
  expect([...takeFirst([1, 2], 3)]).toEqual([1, 2]);
});

test('followed output resumes behind a gap', () => {
  expect(toFollowedText(toChunk('abc', { offset: 9 }))).toEqual({
    ...{ stream: 'stdout', bytes: Buffer.from('abc'), offset: 9, droppedBytes: 0 },
  });
  expect(toFollowedText(toGap(5, { offset: 9 }))).toEqual({
    ...{ stream: 'stdout', bytes: new Uint8Array(), offset: 14, droppedBytes: 5 },
  });
});
