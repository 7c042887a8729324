import { closeSync, readFileSync, readlinkSync, writeFileSync, writeSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSupervisor } from '../../../src/index.ts';
import { createFifoPool } from '../../../src/spawn/pipe/fifo-pool.ts';
import { countOpenFiles, tempDir, waitUntil } from '../../support/os.ts';

/** Counts pipes only, because others in this program open and close files as well. */
const openFifos = () => countOpenFiles('/troupe-fifo-');

test('a FIFO returns the bytes written to it', () => {
  const pool = createFifoPool();
  const fifo = pool.take();
  if (fifo === null) throw new Error('This machine makes no FIFOs.');

  writeSync(fifo.writeFd, 'through');
  closeSync(fifo.writeFd);
  const text = readFileSync(fifo.readFd, 'utf8');

  closeSync(fifo.readFd);
  fifo.release();
  pool.close();
  expect(text).toBe('through');
});

test('a FIFO has no name and no second copy', () => {
  const before = openFifos();
  const pool = createFifoPool();
  const taken = [pool.take(), pool.take()];

  const names = taken.map((fifo) => readlinkSync(`/proc/self/fd/${fifo?.readFd}`));
  for (const fifo of taken) {
    if (fifo === null) continue;
    closeSync(fifo.readFd);
    closeSync(fifo.writeFd);
    fifo.release();
  }
  pool.close();

  expect(names).toEqual([expect.stringMatching(/ \(deleted\)$/), expect.stringMatching(/ \(deleted\)$/)]);
  expect(openFifos()).toBe(before);
});

test('a FIFO pool on another platform is empty', () => {
  expect(createFifoPool('darwin').take()).toBeNull();
});

test('a hanging mkfifo is given up', () => {
  using directory = tempDir();
  writeFileSync(directory.file('mkfifo'), '#!/bin/sh\ntrap "" TERM\nexec sleep 30\n', { mode: 0o700 });
  vi.stubEnv('PATH', `${directory.path}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const startMs = performance.now();

  const fifo = createFifoPool().take();

  expect(fifo).toBeNull();
  expect(performance.now() - startMs).toBeLessThan(20_000);
});

test('a command can open its output by name', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });

  const handle = supervisor.start({ command: 'echo out | tee /dev/stdout; echo err > /dev/stderr' });
  const { status } = await handle.ended;

  expect(status).toBe('completed');
  expect(handle.read({ stream: 'stdout' }).text).toContain('out');
  expect(handle.read({ stream: 'stderr' }).text).toBe('err\n');
});

test('a command never reads the output of another', { timeout: 60_000 }, async () => {
  await using supervisor = createSupervisor({ stateDirectory: false, maxParallelTools: 40 });

  const commands = Array.from({ length: 200 }, (_, number) => `echo ${number}; echo -${number} >&2`);
  const handles = commands.map((command) => supervisor.start({ command }));
  await Promise.all(handles.map((handle) => handle.ended));

  const heard = handles.map((handle) => [
    handle.read({ stream: 'stdout' }).text,
    handle.read({ stream: 'stderr' }).text,
  ]);
  expect(heard).toEqual(commands.map((_, number) => [`${number}\n`, `-${number}\n`]));
});

test('a shutdown closes the descriptors of the pool', async () => {
  const before = countOpenFiles();
  const supervisor = createSupervisor({ stateDirectory: false });
  await supervisor.execute({ command: 'true' });

  await supervisor.shutdown();

  // Descriptors passed to a child are closed in a later turn.
  await waitUntil(() => countOpenFiles() <= before + 1, {
    what: `no more than ${before} + 1 files are open`,
  });
});
