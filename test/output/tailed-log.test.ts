import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { iterateLog } from '../../src/output/follow-log.ts';
import { toBaseLine, toGapLine } from '../../src/output/log-map.ts';
import { lines$ } from '../../src/output/observables.ts';
import { readOutput } from '../../src/output/read-output.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir, waitUntil } from '../fixtures/os.ts';
import { createFileLog, type FileLogOptions } from '../fixtures/output-logs.ts';
import { bytesOf, droppedIn } from './arrange.ts';

function arrange(options: Partial<FileLogOptions> = {}) {
  const directory = tempDir();
  const [path, statusPath] = [directory.file('a.log'), directory.file('a.status')];
  const open = (more: Partial<FileLogOptions> = {}) => {
    const log = createFileLog({
      ...{ clock: createRealClock(), path, statusPath, maxBytes: 2 ** 20, isOver: false },
      ...options,
      ...more,
    });
    onTestFinished(() => log.close());
    return log;
  };
  onTestFinished(directory.remove);
  return { path, statusPath, open, log: open() };
}

test('before the first byte there is nothing and no trouble', () => {
  const { log } = arrange();

  expect(log.bytes).toBe(0);
  expect([...log.chunks(0)]).toEqual([]);
  expect(log.stats()).toMatchObject({
    bytes: 0,
    lines: 0,
    lastOutputAtMs: null,
    logFile: null,
    degraded: null,
  });
});

test('appended output is there on demand', () => {
  const { log, path } = arrange();

  appendFileSync(path, 'one\n');
  expect(log.bytes).toBe(4);
  appendFileSync(path, 'two\n');

  expect(log.positions).toEqual({ stdout: 8, stderr: 0, screen: 0 });
  expect(bytesOf(log.chunks(0)).toString()).toBe('one\ntwo\n');
  expect(bytesOf(log.chunks(4)).toString()).toBe('two\n');
  expect([...log.chunks(0, 'stderr')]).toEqual([]);
  expect(log.stats()).toMatchObject({ bytes: 8, lines: 2, droppedBytes: 0, logFile: path, binary: false });
});

test('reading walks a large file in small chunks, from either end', () => {
  const { log, path } = arrange();
  const text = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join('');
  writeFileSync(path, text);

  const forward = [...log.chunks(0)];
  const backward = [...log.chunksBackward()];

  expect(Math.max(...forward.map((piece) => (piece.type === 'chunk' ? piece.bytes.byteLength : 0)))).toBe(
    65_536,
  );
  expect(bytesOf(forward).toString()).toBe(text);
  expect(bytesOf(backward.reverse()).toString()).toBe(text);
  expect(readOutput(log, { tail: 2 }).text).toBe('line 49998\nline 49999\n');
});

test('lines have no number until all are counted', () => {
  const { log, path } = arrange();
  const count = 3 * 2 ** 20;
  writeFileSync(path, 'ab\n'.repeat(count));

  const first = log.stats().lines;
  while (log.stats().lines === null);

  expect(first).toBeNull();
  expect(log.stats().lines).toBe(count);
});

test('lines that were lost before they were counted have no number', () => {
  const { log, path, statusPath } = arrange();
  writeFileSync(statusPath, toGapLine({ from: 3, to: 6 }));
  writeFileSync(path, 'ab\n'.repeat(4));

  const lines = [log.stats().lines, log.stats().lines];

  expect(lines).toEqual([null, null]);
});

test('the last output is as old as the file', () => {
  const clock = createVirtualClock();
  const { log, path } = arrange({ clock });
  writeFileSync(path, 'x');
  const writtenAt = clock.epochMs() / 1_000 - 60;
  utimesSync(path, writtenAt, writtenAt);

  const ageMs = clock.nowMs() - log.lastWriteAtMs;

  expect(ageMs).toBeCloseTo(60_000, 0);
});

test('subscribers receive output while the file grows and complete at the end', async () => {
  const { log, path } = arrange();
  const seen: string[] = [];
  let completed = 0;
  lines$(log, { clock: createRealClock() }).subscribe({
    next: (line) => void seen.push('text' in line ? line.text : 'gap'),
    complete: () => {
      completed += 1;
    },
  });

  appendFileSync(path, 'one\n');
  await waitUntil(() => seen.length === 1, { what: 'the first line is emitted' });
  appendFileSync(path, 'two\nthr');
  await waitUntil(() => seen.length === 2, { what: 'the second line is emitted' });
  appendFileSync(path, 'ee\n');
  log.markEnd();
  log.finish();

  expect(seen).toEqual(['one', 'two', 'three']);
  expect(completed).toBe(1);
});

test('an iterator waits for what comes', async () => {
  const { log, path } = arrange();
  writeFileSync(path, 'one');
  const pieces = iterateLog(log);
  expect(bytesOf([(await pieces.next()).value ?? []].flat()).toString()).toBe('one');

  const next = pieces.next();
  appendFileSync(path, 'two');

  expect(bytesOf([(await next).value ?? []].flat()).toString()).toBe('two');
  log.finish();
  expect((await pieces.next()).done).toBe(true);
});

test('a listener that throws is not called again', async () => {
  const errors: unknown[] = [];
  const { log, path } = arrange({ onListenerError: (error) => errors.push(error) });
  let heard = 0;
  log.onWrite(() => {
    throw new Error('broken');
  });
  log.onWrite(() => {
    heard += 1;
  });

  appendFileSync(path, 'x');
  await waitUntil(() => heard === 1, { what: 'the other listener is called' });
  log.finish();

  expect(heard).toBe(2);
  expect(errors).toHaveLength(1);
});

test('output after the end is labelled until the next attempt', () => {
  const { log, path } = arrange();
  appendFileSync(path, 'own');
  log.markEnd();
  appendFileSync(path, 'late');
  log.markRestart();
  appendFileSync(path, 'new');

  const labels = [...log.chunks(0)].map((piece) => (piece.type === 'chunk' ? [piece.afterEnd] : null));

  expect(labels.map((label) => label?.[0])).toEqual([false, true, false]);
  expect([...log.chunks(0)].map((piece) => bytesOf([piece]).toString())).toEqual(['own', 'late', 'new']);
  expect(log.ended).toBe(false);
});

test('a gap made by another program is reported exactly and never read as NULs', () => {
  const { log, path, statusPath } = arrange();
  writeFileSync(path, `${'a'.repeat(4096)}${'\0'.repeat(8192)}${'b'.repeat(100)}`);
  writeFileSync(
    statusPath,
    `\nlauncher 1 2\n${toGapLine({ from: 4096, to: 8192 })}${toGapLine({ from: 4096, to: 12_288 })}`,
  );

  const pieces = [...log.chunks(10)];

  expect(bytesOf(pieces).toString()).toBe('a'.repeat(4086) + 'b'.repeat(100));
  expect(pieces[1]).toEqual({
    ...{ type: 'gap', stream: 'stdout', from: 4096, to: 12_288 },
    ...{ position: 4096, droppedBytes: 8192 },
  });
  expect([...log.chunks(5000)][0]).toMatchObject({ type: 'gap', from: 5000, to: 12_288, droppedBytes: 7288 });
  expect(log.stats()).toMatchObject({ bytes: 12_388, droppedBytes: 8192, binary: false });
  expect(readOutput(log).droppedBytes).toBe(8192);
});

test('a log that was cut keeps its offsets', () => {
  const { log, path, statusPath } = arrange();
  writeFileSync(path, 'head');
  writeFileSync(`${path}.tail`, 'tail');
  writeFileSync(statusPath, toBaseLine({ headBytes: 4, offset: 110, tail: { from: 100, to: 104 } }));
  appendFileSync(path, 'new');

  const pieces = [...log.chunks(0)];

  expect(log.bytes).toBe(113);
  expect(bytesOf(pieces).toString()).toBe('headtailnew');
  expect(pieces.map((piece) => (piece.type === 'gap' ? piece.droppedBytes : piece.offset))).toEqual([
    0, 96, 100, 6, 110,
  ]);
  expect(droppedIn(pieces) + bytesOf(pieces).byteLength).toBe(113);
});

test('the log of a process that ended long ago is read like any other', () => {
  const { path, open } = arrange();
  writeFileSync(path, 'old\n');

  const old = open({ isOver: true, statusPath: null });

  expect([old.ended, old.finished, old.bytes]).toEqual([true, true, 4]);
  expect(readOutput(old)).toMatchObject({ text: 'old\n', ended: true });
  expect(open({ isOver: true, path: `${path}.none` }).stats().degraded?.error).toContain('removed');
});

test('a tailed log takes no writes', () => {
  const { log, path } = arrange();
  writeFileSync(path, 'x');

  expect(log.write('stdout', Buffer.from('y'))).toBe(true);

  expect(readFileSync(path, 'utf8')).toBe('x');
});
