import { execFileSync } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  checkPrivateDirectory,
  checkPrivateSocket,
  openPrivateFile,
  openPrivateHandle,
  type PrivateAccess,
} from '../../src/store/private-files.ts';
import { tempDir } from '../support/os.ts';

const accesses: PrivateAccess[] = ['read', 'append', 'readAndAppend', 'change', 'replace'];
const isRoot = process.geteuid?.() === 0;

function arrange() {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  return { at: temp.file };
}

function refusal(words: string) {
  return expect.objectContaining({ code: 'state-directory', message: expect.stringContaining(words) });
}

describe.each(accesses)('to %s', (access) => {
  test('a linked file is refused and keeps its content', async () => {
    const { at } = arrange();
    writeFileSync(at('precious'), 'of the user');
    symlinkSync('precious', at('file'));

    expect(() => openPrivateFile(at('file'), access)).toThrow(refusal('is a symbolic link'));
    await expect(openPrivateHandle(at('file'), access)).rejects.toThrow(refusal('is a symbolic link'));

    expect(readFileSync(at('precious'), 'utf8')).toBe('of the user');
  });

  test('a dangling link is refused and its target is not made', () => {
    const { at } = arrange();
    symlinkSync('nothing', at('file'));

    expect(() => openPrivateFile(at('file'), access)).toThrow(refusal('is a symbolic link'));

    expect(lstatSync(at('nothing'), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('a named pipe is refused at once', () => {
    const { at } = arrange();
    execFileSync('mkfifo', [at('file')]);

    expect(() => openPrivateFile(at('file'), access)).toThrow(refusal('is not a regular file'));
  });

  test.runIf(isRoot)('a file of another user is refused', () => {
    const { at } = arrange();
    writeFileSync(at('file'), 'theirs');
    chownSync(at('file'), 65_534, 65_534);

    expect(() => openPrivateFile(at('file'), access)).toThrow(refusal('belongs to user 65534'));

    expect(readFileSync(at('file'), 'utf8')).toBe('theirs');
  });
});

test('a linked directory is refused', () => {
  const { at } = arrange();
  mkdirSync(at('real'));
  symlinkSync('real', at('link'));

  expect(() => checkPrivateDirectory(at('link'))).toThrow(refusal('is a symbolic link'));
  expect(() => checkPrivateDirectory(at('real'))).not.toThrow();
  expect(() => checkPrivateDirectory(at('missing'))).not.toThrow();
});

test.runIf(isRoot)('a directory of another user is refused', () => {
  const { at } = arrange();
  mkdirSync(at('theirs'));
  chownSync(at('theirs'), 65_534, 65_534);

  expect(() => checkPrivateDirectory(at('theirs'))).toThrow(refusal('belongs to user 65534'));
});

test('a linked socket is refused', async () => {
  const { at } = arrange();
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(at('real.sock'), resolve));
  symlinkSync('real.sock', at('link.sock'));

  expect(() => checkPrivateSocket(at('link.sock'))).toThrow(refusal('is a symbolic link'));
  expect(() => checkPrivateSocket(at('real.sock'))).not.toThrow();
});
