import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { toBaseLine, toGapLine } from '../../src/output/log-map.ts';
import { readOutput } from '../../src/output/read-output.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { createFileLog, type FileLogOptions } from '../support/output-logs.ts';
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
  expect(log.logFile).toBe(path);
});
