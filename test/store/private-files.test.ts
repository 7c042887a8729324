import { execFileSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TroupeError } from '../../src/config/troupe-error.ts';
import {
  appendPrivateFile,
  checkPrivateDirectory,
  checkPrivateSocket,
  openPrivateFile,
  openPrivateHandle,
  type PrivateAccess,
  readPrivateFile,
  replacePrivateFile,
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

test('a refusal says what is there and what to do', () => {
  const { at } = arrange();
  symlinkSync('nothing', at('link'));
  execFileSync('mkfifo', [at('pipe')]);
  writeFileSync(at('file'), '');
  const isLink = `"${at('link')}" is a symbolic link, and links in a state directory are not followed. Remove it, or name another state directory.`;

  for (const act of [
    () => openPrivateFile(at('link'), 'read'),
    () => openPrivateFile(at('link'), 'append'),
    () => checkPrivateDirectory(at('link')),
    () => checkPrivateSocket(at('link')),
  ])
    expect(act).toThrow(new TroupeError({ code: 'state-directory', message: isLink }));
  expect(() => openPrivateFile(at('pipe'), 'read')).toThrow(
    new TroupeError({
      code: 'state-directory',
      message: `"${at('pipe')}" is not a regular file. Remove it.`,
    }),
  );
  expect(() => checkPrivateSocket(at('file'))).toThrow(
    new TroupeError({ code: 'state-directory', message: `"${at('file')}" is not a socket. Remove it.` }),
  );
});

test('a link found while a file is opened keeps the error of the system', async () => {
  const { at } = arrange();
  symlinkSync('nothing', at('link'));
  const refused = { code: 'state-directory', cause: expect.objectContaining({ code: 'ELOOP' }) };

  expect(() => openPrivateFile(at('link'), 'read')).toThrow(expect.objectContaining(refused));
  await expect(openPrivateHandle(at('link'), 'read')).rejects.toMatchObject(refused);
});

test('files of another user are refused with both users', () => {
  const { at } = arrange();
  mkdirSync(at('directory'));
  writeFileSync(at('file'), '');
  const own = process.geteuid?.() ?? 0;
  vi.spyOn(process, 'geteuid').mockReturnValue(own + 1);
  onTestFinished(() => void vi.restoreAllMocks());
  const message = (path: string) =>
    `"${path}" belongs to user ${own}, not to you (user ${own + 1}). Name a state directory of your own.`;

  expect(() => openPrivateFile(at('file'), 'read')).toThrow(message(at('file')));
  expect(() => openPrivateFile(at('file'), 'append')).toThrow(message(at('file')));
  expect(() => checkPrivateDirectory(at('directory'))).toThrow(message(at('directory')));
  expect(() => checkPrivateDirectory(at('file'))).not.toThrow();
});

test('a socket of another user is refused', async () => {
  const { at } = arrange();
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(at('a.sock'), resolve));
  const own = process.geteuid?.() ?? 0;
  vi.spyOn(process, 'geteuid').mockReturnValue(own + 1);
  onTestFinished(() => void vi.restoreAllMocks());

  expect(() => checkPrivateSocket(at('a.sock'))).toThrow(refusal(`belongs to user ${own}, not to you`));
  expect(() => checkPrivateSocket(at('none.sock'))).not.toThrow();
});

test.each([
  ['append', 'oldnew'],
  ['readAndAppend', 'oldnew'],
  ['change', 'new'],
  ['replace', 'new'],
] as const)('to %s an existing file writes in its way', async (access, text) => {
  const { at } = arrange();
  writeFileSync(at('one'), 'old');
  writeFileSync(at('two'), 'old');

  const file = openPrivateFile(at('one'), access);
  writeSync(file, 'new');
  closeSync(file);
  const handle = await openPrivateHandle(at('two'), access);
  await handle.write('new');
  await handle.close();

  expect([at('one'), at('two')].map((path) => readFileSync(path, 'utf8'))).toEqual([text, text]);
});

test('a longer file is emptied before it is replaced', async () => {
  const { at } = arrange();
  writeFileSync(at('one'), 'a long text');
  writeFileSync(at('two'), 'a long text');

  replacePrivateFile(at('one'), 'new');
  const handle = await openPrivateHandle(at('two'), 'replace');
  await handle.close();

  expect(readPrivateFile(at('one'))).toBe('new');
  expect(readPrivateFile(at('two'))).toBe('');
});

test('a file is created for its owner, and anew only where there is none', async () => {
  const { at } = arrange();

  closeSync(openPrivateFile(at('one'), 'create'));
  await (await openPrivateHandle(at('two'), 'create')).close();
  appendPrivateFile(at('three'), 'a');
  appendPrivateFile(at('three'), 'b');

  expect(['one', 'two', 'three'].map((name) => statSync(at(name)).mode & 0o777)).toEqual([
    0o600, 0o600, 0o600,
  ]);
  expect(readPrivateFile(at('three'))).toBe('ab');
  expect(() => openPrivateFile(at('one'), 'create')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  await expect(openPrivateHandle(at('two'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
  for (const access of ['read', 'change'] as const) {
    expect(() => openPrivateFile(at('none'), access)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    await expect(openPrivateHandle(at('none'), access)).rejects.toMatchObject({ code: 'ENOENT' });
  }
});

test('a refused file is closed again', async () => {
  const { at } = arrange();
  writeFileSync(at('file'), '');
  const own = process.geteuid?.() ?? 0;
  vi.spyOn(process, 'geteuid').mockReturnValue(own + 1);
  onTestFinished(() => void vi.restoreAllMocks());
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === at('file');
      } catch {
        return false;
      }
    });

  expect(() => openPrivateFile(at('file'), 'read')).toThrow();
  await expect(openPrivateHandle(at('file'), 'read')).rejects.toThrow();

  expect(openFiles()).toEqual([]);
});
