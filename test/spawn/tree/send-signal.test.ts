import { expect, test } from 'vitest';
import { isRefusedTarget } from '../../../src/spawn/tree/send-signal.ts';

const own = { pid: 500, pgid: 400, sid: 300 };

test.each([0, 1, -1, -7, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('pid %d is never signalled', (id) => {
  expect(isRefusedTarget(id, own)).toBe(true);
});

test('a signal never reaches this program', () => {
  expect([500, 400, 300].map((id) => isRefusedTarget(id, own))).toEqual([true, true, true]);
});

test('other pids and groups are signalled', () => {
  expect(isRefusedTarget(501, own)).toBe(false);
});
