import { expect, test } from 'vitest';
import type { Work } from '../../src/spawn/backend.ts';
import { findLongArgument, findNulByte, toCommand } from '../../src/spawn/command-line.ts';

const echo = (...args: string[]): Work => ({ type: 'argv', file: 'echo', args });
const kibibytes = (count: number) => 'x'.repeat(count * 1024);

test('each system has its own limits', () => {
  const one = { work: echo(kibibytes(200)), env: {} };
  const many = { work: echo(...Array(15).fill(kibibytes(100))), env: {} };

  const codes = (platform: NodeJS.Platform) =>
    [one, many].map((start) => findLongArgument(start, { platform })?.code ?? null);

  expect(codes('linux')).toEqual(['E2BIG', null]);
  expect(codes('darwin')).toEqual([null, 'E2BIG']);
});

test('environment and extra bytes count for the limit', () => {
  const work: Work = { type: 'shell', shell: '/bin/sh', script: kibibytes(100) };
  const env = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`V${index}`, kibibytes(100)]));
  const platform = 'darwin';

  expect(findLongArgument({ work, env }, { platform })).toBeNull();
  expect(findLongArgument({ work, env }, { platform, besideBytes: 24 * 1024 })).toMatchObject({
    code: 'E2BIG',
    message: 'spawn /bin/sh E2BIG',
  });
});

test.each([
  [echo('a', 'b'), ['echo', 'a', 'b']],
  [{ type: 'shell', shell: '/bin/sh', script: 'make all' } as const, ['/bin/sh', '-c', 'make all']],
])('work becomes a command: %j', (work, command) => {
  expect(toCommand(work, 'pipe')).toEqual(command);
});

test('a function is no command', () => {
  expect(() => toCommand({ type: 'function', run: async () => {} }, 'tmux')).toThrow(
    'the tmux backend runs commands, not functions',
  );
});

const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

test.each([
  ['no text', { work: echo('a', 'b'), env: { A: 'b' } }, false],
  ['no script', { work: shell('a'), env: {} }, false],
  ['an argument', { work: echo('a', 'b\0'), env: {} }, true],
  ['the program', { work: { ...echo(), file: 'a\0' } as Work, env: {} }, true],
  ['a script', { work: shell('a\0b'), env: {} }, true],
  ['a shell', { work: { ...shell('a'), shell: '\0' } as Work, env: {} }, true],
  ['the name of a variable', { work: echo(), env: { 'A\0': 'b' } }, true],
  ['the value of a variable', { work: echo(), env: { A: '\0' } }, true],
])('a NUL byte is found: %s contains it', (_, request, isFound) => {
  const error = isFound ? 'an argument or variable contains a NUL byte' : undefined;

  expect(findNulByte(request)?.message).toBe(error);
});

test('the limits are those of execve, with a byte for each end and a pointer', () => {
  const codeOf = (bytes: number, platform: NodeJS.Platform, besideBytes = 0) =>
    findLongArgument({ work: echo('x'.repeat(bytes)), env: {} }, { platform, besideBytes })?.code ?? null;
  // "echo" takes 5 bytes, and each of both texts a pointer of 8.
  const roomBytes = 2 ** 20 - 5 - 1 - 16;

  expect([codeOf(2 ** 17 - 1, 'linux'), codeOf(2 ** 17, 'linux')]).toEqual([null, 'E2BIG']);
  expect([codeOf(roomBytes, 'darwin'), codeOf(roomBytes + 1, 'darwin')]).toEqual([null, 'E2BIG']);
  expect([codeOf(roomBytes - 7, 'darwin', 7), codeOf(roomBytes, 'darwin', 7)]).toEqual([null, 'E2BIG']);
  const one = { work: echo(), env: { V: 'x'.repeat(2 ** 17 - 3) } };
  const more = { work: echo(), env: { V: 'x'.repeat(2 ** 17 - 2) } };
  expect([one, more].map((start) => findLongArgument(start, { platform: 'linux' })?.code ?? null)).toEqual([
    null,
    'E2BIG',
  ]);
});

test('all arguments together have a limit of two megabytes on Linux', () => {
  const many = (count: number): Work => echo(...Array(count).fill('x'.repeat(2 ** 16 - 9)));

  expect(findLongArgument({ work: many(31), env: {} }, { platform: 'linux' })).toBeNull();
  expect(findLongArgument({ work: many(32), env: {} }, { platform: 'linux' })?.message).toBe(
    'spawn echo E2BIG',
  );
});
