import { expect, test } from 'vitest';
import { isRefusedTarget } from '../../../src/spawn/tree/send-signal.ts';

const own = { pid: 500, pgid: 400, sid: 300 };

test.each([0, 1, -1, -7, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('%d is never signalled', (id) => {
  expect(isRefusedTarget(id, own)).toBe(true);
});

test('we ourselves are never signalled', () => {
  expect([500, 400, 300].map((id) => isRefusedTarget(id, own))).toEqual([true, true, true]);
});

test('others are', () => {
  expect(isRefusedTarget(501, own)).toBe(false);
});
