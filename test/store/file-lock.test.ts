import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLocked, lockFile } from '../../src/store/file-lock.ts';
import { endAll, startTicksOf, stateOf, tempDir } from '../support/os.ts';
import { bootId, deadProgram, leaveDeadLock } from './dead-lock.ts';

const program = new URL('programs/locks-and-looks.ts', import.meta.url).pathname;

function arrange() {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  const [path, lock] = [temp.file('x'), temp.file('x.lock')];
  const plant = (holder: unknown) => symlinkSync(JSON.stringify(holder), lock);
  return { path, lock, plant, names: () => readdirSync(temp.path).sort() };
}

function startSleeper() {
  const child = spawn('sleep', ['300'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  onTestFinished(() => endAll([pid]));
  return { pid, startedAt: startTicksOf(pid), bootId };
}

test('a lock names its holder and is removed when it is released', () => {
  const { path, lock, names } = arrange();

  const release = lockFile(path);

  const startedAt = startTicksOf(process.pid);
  expect(JSON.parse(readlinkSync(lock))).toEqual({ pid: process.pid, startedAt, bootId });
  release();
  release();
  expect(names()).toEqual([]);
});

test('a held lock throws the error that the caller chose', () => {
  const { path, plant, names } = arrange();
  const holder = startSleeper();
  plant(holder);

  expect(() => lockFile(path, { code: 'state-directory', advice: 'ask again later' })).toThrow(
    expect.objectContaining({
      code: 'state-directory',
      message: `${path} is in use by another program, pid ${holder.pid}: ask again later.`,
    }),
  );
  expect(names()).toEqual(['x.lock']);
});

describe('a lock is taken over', () => {
  test.each([
    ['of a dead program', () => deadProgram],
    ['of a program whose pid now belongs to another', () => ({ ...startSleeper(), startedAt: '1' })],
    ['of an earlier program with our own pid', () => ({ pid: process.pid, startedAt: '1', bootId })],
    ['of a running program that names no boot', () => ({ pid: 1, startedAt: null })],
    ['of another boot', () => ({ ...startSleeper(), bootId: 'another' })],
  ])('%s', (_, toHolder) => {
    const { path, lock, plant, names } = arrange();
    plant(toHolder());

    const release = lockFile(path);

    expect(JSON.parse(readlinkSync(lock))).toEqual({
      pid: process.pid,
      startedAt: startTicksOf(process.pid),
      bootId,
    });
    release();
    expect(names()).toEqual([]);
  });

  test('after its holder became a zombie', async () => {
    const { path, plant } = arrange();
    const child = spawn('true', { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const pid = child.pid ?? 0;
    plant({ pid, startedAt: startTicksOf(pid), bootId });
    // Busy waiting: the exit is collected as soon as the event loop turns.
    while (stateOf(pid) !== 'Z') expect(stateOf(pid)).not.toBeNull();

    expect(() => lockFile(path)).not.toThrow();

    await ended;
  });

  test('even if programs died while they took it over', () => {
    const { path, lock, names } = arrange();
    for (const each of [lock, `${lock}.lock`, `${lock}.lock.lock`]) leaveDeadLock(each);

    lockFile(path)();

    expect(names()).toEqual([]);
  });

  test('even if it is a file, as on file systems without links', () => {
    const { path, lock, names } = arrange();
    writeFileSync(lock, JSON.stringify(deadProgram));

    lockFile(path)();

    expect(names()).toEqual([]);
  });
});

test.each(['', '{"pid":', '{"pid":-1}', '[]'])('a lock that contains %j cannot be taken', (text) => {
  const { path, lock, names } = arrange();
  writeFileSync(lock, text);

  expect(() => lockFile(path)).toThrow(
    expect.objectContaining({
      code: 'conversation-in-use',
      message: `${path} is locked, and ${lock} does not name the program that uses it: if none does, remove that file; otherwise end that one first, or begin another conversation.`,
    }),
  );
  expect(isLocked(path)).toBe(false);

  expect(names()).toEqual(['x.lock']);
});

test('the error names the program that is taking the lock over', () => {
  const { path, lock } = arrange();
  const rival = startSleeper();
  leaveDeadLock(lock);
  symlinkSync(JSON.stringify(rival), `${lock}.lock`);

  expect(() => lockFile(path)).toThrow(`pid ${rival.pid}`);
});

test('a second release leaves the lock of another program alone', () => {
  const { path, lock, plant } = arrange();
  const release = lockFile(path);
  release();
  plant(deadProgram);

  release();

  expect(JSON.parse(readlinkSync(lock))).toEqual(deadProgram);
});

test('a missing directory is an error', () => {
  const { path } = arrange();

  expect(() => lockFile(`${path}/deep/y`)).toThrow('ENOENT');
});

test.each([
  ['that are released', []],
  ['of dead programs', ['leaves dead ones']],
])('locks %s admit one program at a time', { timeout: 180_000 }, async (_, more) => {
  const { path } = arrange();
  const run = () => promisify(execFile)(process.execPath, [program, path, '1000', ...more]);

  const outputs = await Promise.all([run(), run(), run()]);

  expect(outputs.map(({ stdout }) => stdout.trim())).toEqual(['0', '0', '0']);
});

test('a lock is held while its program lives', () => {
  const { path, lock, plant } = arrange();
  expect(isLocked(path)).toBe(false);
  const release = lockFile(path);
  expect(isLocked(path)).toBe(true);
  expect(() => lockFile(path)).not.toThrow();
  release();
  expect(isLocked(path)).toBe(false);

  plant(startSleeper());
  expect(isLocked(path)).toBe(true);
  unlinkSync(lock);
  plant(deadProgram);

  expect(isLocked(path)).toBe(false);
});

test('a held lock is that of a conversation unless the caller says otherwise', () => {
  const { path, plant } = arrange();
  const { pid, ...holder } = startSleeper();
  plant({ pid, ...holder });

  expect(() => lockFile(path)).toThrow(
    expect.objectContaining({
      code: 'conversation-in-use',
      message: `${path} is in use by another program, pid ${pid}: end that one first, or begin another conversation.`,
    }),
  );
});

test('a release leaves the lock of another program alone', () => {
  const { path, lock, plant } = arrange();
  const release = lockFile(path);
  unlinkSync(lock);
  plant(deadProgram);

  release();

  expect(JSON.parse(readlinkSync(lock))).toEqual(deadProgram);
});
