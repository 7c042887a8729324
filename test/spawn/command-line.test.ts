import { expect, test } from 'vitest';
import type { Work } from '../../src/spawn/backend.ts';
import { findLongArgument } from '../../src/spawn/command-line.ts';

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
