import { closeSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPipePool, type PipePool } from '../../../src/spawn/input/pipe-pool.ts';
import { countOpenFiles, waitUntil } from '../../support/os.ts';

const openPipes = () => countOpenFiles('pipe:');

function take(pool: PipePool) {
  const pipe = pool.take();
  if (pipe === null) throw new Error('This machine makes no pipes.');
  return pipe;
}

test('a pipe returns the bytes written to it', () => {
  const pool = createPipePool();
  const { readFd, writeFd } = take(pool);

  writeSync(writeFd, 'through');
  closeSync(writeFd);
  const text = readFileSync(readFd, 'utf8');

  closeSync(readFd);
  pool.close();
  expect(text).toBe('through');
});

test('a pipe without a reader breaks', async () => {
  const pool = createPipePool();
  const { readFd, writeFd } = take(pool);

  closeSync(readFd);
  // The shell that made the pipe may take a moment to end.
  const code = await waitUntil(() => codeOf(() => writeSync(writeFd, 'x')));

  closeSync(writeFd);
  pool.close();
  expect(code).toBe('EPIPE');
});

test('no pipe is given twice, and none is left', () => {
  const before = openPipes();
  const pool = createPipePool();

  const taken = Array.from({ length: 30 }, () => take(pool));
  const names = taken.map(({ readFd }) => readlinkSync(`/proc/self/fd/${readFd}`));
  for (const { readFd, writeFd } of taken) {
    closeSync(readFd);
    closeSync(writeFd);
  }
  pool.close();

  expect(new Set(names).size).toBe(30);
  expect(openPipes()).toBe(before);
});

test('a pipe pool on another platform is empty', () => {
  expect(createPipePool('darwin').take()).toBeNull();
});

test('a closed pool returns no pipe', () => {
  const pool = createPipePool();

  pool.close();

  expect(pool.take()).toBeNull();
});

function codeOf(step: () => unknown): string | null {
  try {
    step();
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? null;
  }
}
