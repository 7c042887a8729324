import { appendFileSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { iterateLog } from '../../src/output/follow-log.ts';
import { output$ } from '../../src/output/observables.ts';
import { type OutputPiece, positionAfter } from '../../src/output/output-chunk.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { readOutput } from '../../src/output/read-output.ts';
import { createReader } from '../../src/output/reader.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { createFileLog, type FileLogOptions } from '../support/output-logs.ts';
import { bytesOf, droppedIn } from './arrange.ts';

/** A log of nine bytes that is known, and a switch that lets every attempt to open it fail. */
function arrange(options: Partial<FileLogOptions> = {}) {
  const directory = tempDir();
  const [path, statusPath] = [directory.file('a.log'), directory.file('a.status')];
  const door = { isShut: false, attempts: 0 };
  writeFileSync(path, 'long text');
  const log = createFileLog({
    ...{ clock: createRealClock(), path, statusPath, maxBytes: 2 ** 20, isOver: false },
    openFile: (file) => {
      door.attempts += 1;
      if (door.isShut) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      return openSync(file, 'r');
    },
    ...options,
  });
  expect(log.bytes).toBe(9);
  onTestFinished(async () => {
    await log.close();
    directory.remove();
  });
  return { log, path, door };
}

/** Every way to go through a log as it comes; what each has seen so far. */
const followers: Record<string, (log: OutputLog) => { seen: OutputPiece[]; ended: Promise<void> }> = {
  iterate: (log) => {
    const seen: OutputPiece[] = [];
    const run = async () => {
      for await (const piece of iterateLog(log)) seen.push(piece);
    };
    return { seen, ended: run() };
  },
  output$: (log) => {
    const seen: OutputPiece[] = [];
    const ended = new Promise<void>((resolve) => {
      output$(log).subscribe({ next: (piece) => seen.push(piece), complete: resolve });
    });
    return { seen, ended };
  },
};

function expectNoBreak(seen: readonly OutputPiece[], bytes: number): void {
  let position = 0;
  for (const piece of seen) {
    expect(piece.position).toBe(position);
    position = positionAfter(piece);
  }
  expect(position).toBe(bytes);
}

describe.each(Object.entries(followers))('%s', (_, follow) => {
  test('a removed file is a gap that later output follows', async () => {
    const { log, path } = arrange();
    rmSync(path);

    const { seen, ended } = follow(log);
    await waitUntil(() => seen.length === 1, { what: 'the gap is emitted' });
    writeFileSync(path, 'another one, longer');
    await waitUntil(() => seen.length === 2, { what: 'the new output is emitted' });
    log.finish();
    await ended;

    expectNoBreak(seen, 19);
    expect(droppedIn(seen)).toBe(9);
    expect(bytesOf(seen).toString()).toBe('ne, longer');
  });

  test('a file that was made shorter ends in a gap', async () => {
    const { log, path } = arrange();
    truncateSync(path, 4);

    const { seen, ended } = follow(log);
    await waitUntil(() => seen.length === 2, { what: 'the gap is emitted' });
    log.finish();
    await ended;

    expectNoBreak(seen, 9);
    expect(bytesOf(seen).toString()).toBe('long');
    expect(droppedIn(seen)).toBe(5);
  });

  test('a file that cannot be opened for now is read later, without a gap', async () => {
    const { log, path, door } = arrange();
    door.isShut = true;

    const { seen, ended } = follow(log);
    await waitUntil(() => door.attempts >= 2, { what: 'it tries again' });
    expect(seen).toEqual([]);
    expect(door.attempts).toBeLessThan(10);
    appendFileSync(path, ' and more');
    door.isShut = false;
    await waitUntil(() => seen.length > 0, { what: 'it is read' });
    log.finish();
    await ended;

    expectNoBreak(seen, 18);
    expect(bytesOf(seen).toString()).toBe('long text and more');
  });

  test('a finished log that cannot be read is given up in the end', async () => {
    const { log, door } = arrange();
    door.isShut = true;
    log.finish();

    const { seen, ended } = follow(log);
    await ended;

    expectNoBreak(seen, 9);
    expect(droppedIn(seen)).toBe(9);
  }, 30_000);

  test('a large file leaves turns to others', async () => {
    const { log, path } = arrange({ maxBytes: 2 ** 30 });
    appendFileSync(path, Buffer.alloc(16 * 2 ** 20, 'x'));
    log.finish();
    let turns = 0;
    let turn = setImmediate(function count() {
      turns += 1;
      turn = setImmediate(count);
    });
    onTestFinished(() => clearImmediate(turn));

    const { seen, ended } = follow(log);
    await ended;

    expectNoBreak(seen, 9 + 16 * 2 ** 20);
    expect(turns).toBeGreaterThan(10);
  });
});

test('an iterator that waits for a file to open can be aborted', async () => {
  const { log, door } = arrange();
  door.isShut = true;
  const over = new AbortController();
  const next = iterateLog(log, { signal: over.signal }).next();
  await waitUntil(() => door.attempts >= 2, { what: 'it tries again' });

  over.abort();

  expect((await next).done).toBe(true);
});

test('a subscriber that leaves while a file is given out gets no more', async () => {
  const { log, path } = arrange();
  appendFileSync(path, Buffer.alloc(4 * 2 ** 20, 'x'));
  const seen: OutputPiece[] = [];

  output$(log)
    .subscribe((piece) => seen.push(piece))
    .unsubscribe();
  const before = seen.length;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  expect(before).toBeGreaterThan(0);
  expect(seen).toHaveLength(before);
});

test('a read reports the loss of a removed file and continues after it', () => {
  const { log, path } = arrange();
  rmSync(path);

  const read = readOutput(log);
  const before = log.stats();
  writeFileSync(path, 'another one, longer');
  const next = readOutput(log, { since: read.to });

  expect(read).toMatchObject({ from: 0, to: 9, droppedBytes: 9, problem: null });
  expect(read.text).toContain('9 bytes of stdout are no longer kept');
  expect(before).toMatchObject({
    ...{ bytes: 9, droppedBytes: 9, logFile: null },
    degraded: { what: 'the log file cannot be read', error: `${path} was removed`, missingBytes: 9 },
  });
  expect(next.text).toBe('ne, longer');
  expect([...log.chunksBackward()].length).toBe(1);
});

test('a read tells what was cut off a file', () => {
  const { log, path } = arrange();
  truncateSync(path, 4);

  const read = readOutput(log);

  expect(read).toMatchObject({ to: 9, droppedBytes: 5 });
  expect(read.text).toBe('long\n[… 5 bytes of stdout are no longer kept …]\n');
  expect(readOutput(log, { tail: 1 }).text).toBe(read.text);
  expect(log.stats()).toMatchObject({ bytes: 9, droppedBytes: 5 });
  expect(log.stats().degraded).toMatchObject({
    ...{ error: `${path} is 5 bytes shorter than it was`, missingBytes: 5 },
  });
});

test.each([{}, { tail: 2 }, { lines: 2 }, { offset: 1 }, { grep: 'x' }])(
  'a read that cannot open the file has a problem and moves nothing: %j',
  (options) => {
    const { log, door } = arrange();
    const reader = createReader(log);
    door.isShut = true;

    const read = reader.read(options);
    reader.acknowledge(read);
    const { degraded } = log.stats();
    door.isShut = false;

    expect(read).toMatchObject({ text: '', from: 0, to: 0, ended: false });
    expect(read.problem).toContain('EMFILE');
    expect(degraded).toMatchObject({ error: 'EMFILE: too many open files', missingBytes: 0 });
    expect(reader.read().text).toBe('long text');
    expect(log.stats().degraded).toBeNull();
  },
);
