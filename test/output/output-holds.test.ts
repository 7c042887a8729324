import { describe, expect, test } from 'vitest';
import { OutputHolds, toStreams } from '../../src/output/output-holds.ts';
import { toChunk } from './arrange.ts';

const none = { stdout: 0, stderr: 0, screen: 0 };

describe('output that readers need', () => {
  const place = (stdout: number, offset: number) => ({
    ...{ positions: { ...none, stdout }, streams: ['stdout'] as const, offset },
  });
  const far = Number.POSITIVE_INFINITY;

  test('begins at the slowest reader of each stream', () => {
    const holds = new OutputHolds();
    holds.add(place(5, 7));
    holds.add({ ...place(3, 4), streams: ['stdout', 'stderr'] });

    expect(holds.neededPositions()).toEqual({ stdout: 3, stderr: 0, screen: far });
    expect(holds.neededOffset({ stdout: 5, stderr: 0, screen: 0 })).toBe(4);
    expect(holds.neededOffset({ stdout: 6, stderr: 0, screen: 9 })).toBe(4);
    expect(holds.neededOffset({ stdout: 3, stderr: 1, screen: 0 })).toBe(4);
    expect(holds.neededOffset(none)).toBe(far);
  });

  test('moves with its reader, and ends with it', () => {
    let moves = 0;
    const holds = new OutputHolds(() => {
      moves += 1;
    });
    const hold = holds.add(place(0, 0));

    hold.move(toChunk('abc', { offset: 10, position: 2 }));
    expect([moves, holds.neededPositions().stdout, holds.neededOffset({ ...none, stdout: 9 })]).toEqual([
      1, 5, 13,
    ]);
    expect(holds.isEmpty).toBe(false);
    hold.release();
    hold.release();
    hold.move(toChunk('later', { offset: 13 }));

    expect([moves, holds.isEmpty]).toEqual([2, true]);
  });

  test('is of one stream or of all', () => {
    expect(toStreams('stderr')).toEqual(['stderr']);
    expect(toStreams(undefined)).toEqual(['stdout', 'stderr', 'screen']);
  });
});
