import { expect, test } from 'vitest';
import { findControllingTerminal, toTerminalPath } from '../../../src/spawn/tree/controlling-terminal.ts';

test.each([
  [0x8803, '/dev/pts/3'],
  [0x88ff, '/dev/pts/255'],
  [0x0010_8800, '/dev/pts/256'],
  [0x8901, '/dev/pts/257'],
  [0, null],
  [0x0440, null],
] as const)('device %i is the terminal %s', (device, path) => {
  expect(toTerminalPath(device)).toBe(path);
});

test('an ended process has no terminal', () => {
  expect(findControllingTerminal(2 ** 22)).toBeNull();
});
