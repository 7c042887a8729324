import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { SpawnRequest } from '../../src/spawn/backend.ts';
import { findStartError } from '../../src/spawn/check-start.ts';
import { findProgram } from '../../src/spawn/find-program.ts';
import { toSpawnFailure } from '../../src/spawn/spawn-failure.ts';
import { tempDir } from '../support/os.ts';

const temp = tempDir();
const directory = temp.path;
afterAll(() => temp.remove());

function write(name: string, text: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const request = (own: Partial<SpawnRequest> = {}): SpawnRequest =>
  ({
    work: { type: 'argv', file: 'make', args: [] },
    cwd: directory,
    env: {},
    secrets: [],
    ...own,
  }) as unknown as SpawnRequest;
const failureOf = (code: unknown, own?: Partial<SpawnRequest>) =>
  toSpawnFailure(Object.assign(new Error('It failed.'), { code }), request(own));

test.each([
  [
    'ENOENT',
    'missing-program',
    'The program "make" was not found on the PATH. Check its name, or install it.',
  ],
  [
    'EACCES',
    'no-permission',
    `"make" may not be run in "${directory}" (EACCES). Check the permissions of both.`,
  ],
  [
    'EPERM',
    'no-permission',
    `"make" may not be run in "${directory}" (EPERM). Check the permissions of both.`,
  ],
  [
    'E2BIG',
    'arguments-too-long',
    'The arguments of "make" are longer than the system allows (E2BIG). Pass them in a file.',
  ],
  [
    'ENAMETOOLONG',
    'arguments-too-long',
    'The arguments of "make" are longer than the system allows (ENAMETOOLONG). Pass them in a file.',
  ],
  [
    'EMFILE',
    'too-many-files',
    'Too many files are open to start "make" (EMFILE). End other processes, or raise "ulimit -n".',
  ],
  [
    'ENFILE',
    'too-many-files',
    'Too many files are open to start "make" (ENFILE). End other processes, or raise "ulimit -n".',
  ],
  [
    'EAGAIN',
    'out-of-processes',
    'The system has no resources for "make" (EAGAIN). End other processes and try again.',
  ],
  [
    'ENOMEM',
    'out-of-processes',
    'The system has no resources for "make" (ENOMEM). End other processes and try again.',
  ],
  ['EIO', 'other', '"make" could not be started: Error: It failed.'],
])('a start refused with %s says what to do', async (code, cause, message) => {
  expect(await failureOf(code)).toEqual({ type: 'process.spawnFailed', cause, code, message });
});

test('an error without a code keeps its text', async () => {
  expect(await failureOf(7)).toMatchObject({ cause: 'other', code: null });
  expect(await toSpawnFailure('broken', request())).toMatchObject({
    ...{ cause: 'other', code: null, message: '"make" could not be started: broken' },
  });
});

test.each([
  [{ type: 'argv', file: '/bin/make', args: [] }, 'The program "/bin/make" was not found. Check'],
  [{ type: 'shell', shell: 'zsh', script: '' }, 'The program "zsh" was not found on the PATH.'],
  [{ type: 'worker', module: 'file:///a.js' }, 'The program "file:///a.js" was not found.'],
  [{ type: 'function', run: function work() {} }, 'The program "work" was not found on the PATH.'],
  [{ type: 'function', run: (() => () => {})() }, 'The program "function" was not found on the PATH.'],
])('the failure of %j names what was to run', async (work, message) => {
  const failure = await failureOf('ENOENT', { work } as unknown as Partial<SpawnRequest>);

  expect(failure.message).toContain(message);
});

test('a missing directory is not a missing program', async () => {
  const missing = join(directory, 'none');
  const file = write('a-file', '');
  const message = (cwd: string) =>
    `The working directory "${cwd}" does not exist or is not a directory. Give one that exists.`;

  for (const cwd of [missing, file])
    expect(await failureOf('ENOENT', { cwd })).toMatchObject({ cause: 'missing-cwd', message: message(cwd) });
});

const start = (file: string, own: Partial<Pick<SpawnRequest, 'cwd' | 'env'>> = {}) =>
  findStartError([file], { ...request({ work: { type: 'argv', file, args: [] } }), ...own });
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code ?? null;

test('a program that can be started has no error', () => {
  expect(start('/bin/sh')).toBeNull();
  expect(start('sh')).toBeNull();
  expect(start(write('script', '#! \t/bin/sh -e\n'))).toBeNull();
  expect(start(write('text', 'no interpreter'))).toBeNull();
  expect(start(write('relative', '#!bin/none\n'))).toBeNull();
});

test.each([
  ['no such program', 'none-such', 'ENOENT'],
  ['no such file', './none', 'ENOENT'],
  ['no name', '', 'ENOENT'],
  ['a directory', directory, 'EACCES'],
  ['a file that may not be executed', write('plain', '', 0o644), 'EACCES'],
  ['a missing interpreter', write('lost', '#!/none/such\n'), 'ENOENT'],
  ['an interpreter that may not be executed', write('barred', `#!${join(directory, 'plain')}\n`), 'EACCES'],
])('%s is refused', (_, file, code) => {
  expect(codeOf(start(file))).toBe(code);
});

test('a start in a bad directory is refused', () => {
  expect(codeOf(start('sh', { cwd: join(directory, 'none') }))).toBe('ENOENT');
  expect(codeOf(start('sh', { cwd: write('no-directory', '') }))).toBe('ENOTDIR');
});

test('programs are looked for on the PATH in its order', () => {
  const path = (...parts: readonly string[]) => parts.join(':');
  write('tool', '#!/bin/sh\n');

  expect(findProgram('tool', { path: path('/none', directory, '/bin'), cwd: '/' })).toBe(
    join(directory, 'tool'),
  );
  expect(findProgram('./tool', { path: '/none', cwd: directory })).toBe(join(directory, 'tool'));
  // An empty part is the working directory.
  expect(findProgram('tool', { path: '', cwd: directory })).toBe(join(directory, 'tool'));
  expect(findProgram('sh', { path: path(directory, '/bin'), cwd: '/' })).toBe('/bin/sh');
});

test('a match that may not be executed is the error, unless another is found', () => {
  write('sh', '', 0o644);

  expect(findProgram('sh', { path: `${directory}:/bin`, cwd: '/' })).toBe('/bin/sh');
  expect(findProgram('sh', { path: `${directory}:/none`, cwd: '/' })).toMatchObject({
    ...{ code: 'EACCES', message: 'spawn sh EACCES' },
  });
});

test('the PATH of the command counts', () => {
  expect(codeOf(start('tool', { env: { PATH: '/none' } }))).toBe('ENOENT');
  expect(start('tool', { env: { PATH: directory } })).toBeNull();
});
