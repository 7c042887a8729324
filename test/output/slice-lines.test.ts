import { describe, expect, test } from 'vitest';
import type { OutputPiece } from '../../src/output/output-chunk.ts';
import { skipLines, takeLines } from '../../src/output/slice-lines.ts';
import { toChunk, toGap } from './arrange.ts';

const none = { stdout: 0, stderr: 0, screen: 0 };

const shown = (pieces: readonly OutputPiece[]) =>
  pieces.map((piece) => (piece.type === 'gap' ? `-${piece.droppedBytes}` : `${piece.bytes}`));

describe('lines of pieces', () => {
  const pieces = [toChunk('a\nb'), toGap(5, { offset: 3 }), toChunk('c\nd\n', { offset: 8 })];

  test.each([
    [0, []],
    [1, ['a\n']],
    [2, ['a\nb', '-5', 'c\n']],
    [3, ['a\nb', '-5', 'c\nd\n']],
    [9, ['a\nb', '-5', 'c\nd\n']],
  ])('are taken from the first on: %i', (count, taken) => {
    expect(shown(takeLines(pieces, count))).toEqual(taken);
  });

  test.each([
    [0, { type: 'found', positions: none }],
    [1, { type: 'found', positions: { ...none, stdout: 2 } }],
    [2, { type: 'found', positions: { ...none, stdout: 10 } }],
    [3, { type: 'found', positions: { ...none, stdout: 12 } }],
    [4, { type: 'not-there' }],
  ])('are skipped: %i', (skip, result) => {
    expect(skipLines(pieces, { skip, maxBytes: 1_000, from: none })).toEqual(result);
  });

  test('are skipped as far as the limit of bytes', () => {
    const skip = (maxBytes: number) => skipLines(pieces, { skip: 3, maxBytes, from: none }).type;

    expect([skip(4), skip(3), skip(2)]).toEqual(['found', 'too-far', 'too-far']);
  });
});
