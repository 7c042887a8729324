import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOutputPipe, pipeOutput } from '../../../src/spawn/pipe/output-pipe.ts';

/** Two sources whose output is noted, and a sink that takes this many pieces before it is full. */
function arrange({ room = Number.POSITIVE_INFINITY } = {}) {
  const noted: string[] = [];
  const waiting: (() => void)[] = [];
  const sources = { stdout: new PassThrough(), stderr: new PassThrough() };
  const sink = {
    ...{ isBackpressured: false, bytes: 0, lastWriteAtMs: 0 },
    write: (stream: string, bytes: Uint8Array) => {
      noted.push(`${stream} ${Buffer.from(bytes)}`);
      return noted.length < room;
    },
    whenWritable: (callback: () => void) => void waiting.push(callback),
  };
  pipeOutput(sources, { sink, onEnded: () => noted.push('ended') });
  return { noted, waiting, ...sources };
}

test('both outputs go to the sink, and end once both have ended', async () => {
  const { noted, stdout, stderr } = arrange();

  stdout.end('one');
  await setImmediate();
  await setImmediate();
  expect(noted).toEqual(['stdout one']);
  stderr.end('two');
  await setImmediate();
  await setImmediate();

  expect(noted).toEqual(['stdout one', 'stderr two', 'ended']);
});

test('an output that breaks has ended', async () => {
  const { noted, stdout, stderr } = arrange();

  stdout.destroy(new Error('EIO'));
  stderr.end();
  stderr.resume();
  await setImmediate();
  await setImmediate();

  expect(noted).toEqual(['ended']);
});

test('a full sink holds both outputs until it has room', async () => {
  const { noted, waiting, stdout, stderr } = arrange({ room: 1 });

  stdout.write('one');
  await setImmediate();
  expect([stdout.isPaused(), stderr.isPaused(), waiting.length]).toEqual([true, true, 1]);
  stderr.write('two');
  await setImmediate();
  expect(noted).toEqual(['stdout one']);
  for (const resume of waiting.splice(0)) resume();
  await setImmediate();

  expect(noted).toEqual(['stdout one', 'stderr two']);
});

test('without a FIFO the stream that spawn made is used', () => {
  const pipe = createOutputPipe(null);
  const own = new PassThrough();

  expect(pipe.stdio).toBe('pipe');
  expect(pipe.open(own)).toBe(own);
  expect(pipe.open(null)).toBeNull();
});
