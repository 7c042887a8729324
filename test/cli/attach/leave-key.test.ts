import { expect, test } from 'vitest';
import { findLeaveKey, parseLeaveKey } from '../../../src/cli/verbs/attach/leave-key.ts';

test.each([
  ['C-]', 'Ctrl-]', '\x1d'],
  ['^\\', 'Ctrl-\\', '\x1c'],
  ['Ctrl-Q', 'Ctrl-q', '\x11'],
  ['ctrl+a', 'Ctrl-a', '\x01'],
])('%s is %s', (text, name, byte) => {
  const key = parseLeaveKey(text);

  expect(key.name).toBe(name);
  expect(key.sequences[0]).toBe(byte);
});

test.each(['q', 'C-', 'C-1', 'F5', 'M-x', ''])('"%s" leaves nothing', (text) => {
  expect(() => parseLeaveKey(text)).toThrow('--leave-key is');
});

test.each([
  ['ab\x1dcd', 'ab'],
  ['\x1b[93;5u', ''],
  ['x\x1b[27;5;93~', 'x'],
  ['äöü\x1d', 'äöü'],
])('text before the leave key is typed: %j', (typed, before) => {
  expect(findLeaveKey(Buffer.from(typed), parseLeaveKey())?.toString()).toBe(before);
});

test('without it all is typed', () => {
  expect(findLeaveKey(Buffer.from('\x1b[A]'), parseLeaveKey())).toBeNull();
});
