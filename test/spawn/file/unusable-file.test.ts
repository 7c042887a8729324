import { closeSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TroupeError } from '../../../src/config/troupe-error.ts';
import type { SpawnRequest } from '../../../src/spawn/backend.ts';
import { openForAppending, toFileFailure, UnusableFile } from '../../../src/spawn/file/unusable-file.ts';
import { tempDir } from '../../support/os.ts';

const request = { secrets: ['hunter2'] } as unknown as SpawnRequest;
const failed = (code: string) => Object.assign(new Error(`${code}: no`), { code });
const writable = 'Give a "stateDirectory" that can be written.';

test.each([
  ['EACCES', 'no-permission', writable],
  ['EPERM', 'no-permission', writable],
  ['EROFS', 'no-permission', writable],
  ['EMFILE', 'too-many-files', 'Too many files are open: end other processes, or raise "ulimit -n".'],
  ['ENFILE', 'too-many-files', 'Too many files are open: end other processes, or raise "ulimit -n".'],
  ['ENOSPC', 'other', 'The disk is full: free some space, or give another "stateDirectory".'],
  ['EDQUOT', 'other', 'The disk is full: free some space, or give another "stateDirectory".'],
  ['EIO', 'other', writable],
])('a file refused with %s says what to do', (code, cause, remedy) => {
  expect(toFileFailure(new UnusableFile('/a.log', failed(code)), request)).toEqual({
    ...{ type: 'process.spawnFailed', cause, code },
    message: `Its file /a.log cannot be opened: ${code}: no. ${remedy}`,
  });
});

test('an error of our own says by itself what to do, without secrets', () => {
  const cause = new TroupeError({ code: 'state-directory', message: 'Remove the link hunter2.' });

  const { message } = toFileFailure(new UnusableFile('/a.log', cause), request);

  expect(message).toBe('Its file /a.log cannot be opened: Remove the link [redacted].');
});

test('an error without a code is of another cause', () => {
  expect(toFileFailure(new UnusableFile('/a', new Error('no')), request)).toMatchObject({
    ...{ cause: 'other', code: null },
  });
});

test('a file is opened with its missing directory', () => {
  using directory = tempDir();
  const path = join(directory.path, 'new', 'a.log');

  closeSync(openForAppending(path));

  expect(statSync(path).size).toBe(0);
});

test('a file below a file is unusable', () => {
  using directory = tempDir();
  writeFileSync(directory.file('plain'), '');
  const path = join(directory.file('plain'), 'a.log');

  expect(() => openForAppending(path)).toThrow(new UnusableFile(path, null).message);
  expect(() => openForAppending(path)).toThrow(UnusableFile);
});
