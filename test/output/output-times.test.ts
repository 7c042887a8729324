import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { LogFile } from '../../src/output/log-file.ts';
import {
  findAfter,
  findBounds,
  findSince,
  type OutputTimes,
  parseTimeIndex,
  timesPathOf,
  toLengthMarks,
} from '../../src/output/output-times.ts';
import { TimeIndex } from '../../src/output/time-index-file.ts';
import { copyTailAndTruncate, punchHole } from '../../src/output/truncate-log.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { createFileLog } from '../support/output-logs.ts';

function tempFile(name = 'a.log'): string {
  const directory = tempDir();
  onTestFinished(() => directory.remove());
  return directory.file(name);
}

/** Each line is the time at which it was written. */
const toLine = (at: number) => Buffer.from(`${at}\n`);

/** Lines of which the times say something else than they do, by their places. */
function findLies(text: string, times: OutputTimes): readonly string[] {
  return [...text.matchAll(/^\d{13}$/gm)].flatMap(({ 0: line, index }) => {
    const { earliest, latest } = findBounds(times, index);
    if (earliest === null || latest === null) return [`${line}: nothing is known`];
    const isTrue = earliest <= Number(line) && Number(line) <= latest;
    return isTrue ? [] : [`${line}: between ${earliest} and ${latest}`];
  });
}

const anyPauses = fc.array(fc.constantFrom(0, 10, 400, 1_000, 5_000, 3_600_000), {
  minLength: 120,
  maxLength: 300,
});

test('times hold by offset and in a capped file', async () => {
  await fc.assert(
    fc.asyncProperty(anyPauses, fc.nat(10), async (pauses, notes) => {
      const [path, clock] = [tempFile(), createVirtualClock()];
      const file = new LogFile({ path, maxBytes: 1024, clock });
      let printed = '';
      for (const [index, pause] of pauses.entries()) {
        clock.advance(pause);
        const line = toLine(clock.epochMs());
        file.write(line);
        printed += line.toString();
        if (index % 13 < notes) file.note('a note');
        if (index % 3 === 0) await file.flush();
      }
      await file.close();

      expect(findLies(printed, file.times())).toEqual([]);
      const stored = new TimeIndex(timesPathOf(path)).read();
      const inFile = { marks: toLengthMarks(stored, 'position'), lastAt: clock.epochMs() };
      expect(findLies(readFileSync(path, 'utf8'), inFile)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('a burst after a long pause has its own time', async () => {
  const [path, clock] = [tempFile(), createVirtualClock()];
  const file = new LogFile({ path, maxBytes: 1024, clock });
  file.write(Buffer.from('early\n'));
  clock.advance(3_600_000);
  const laterAt = clock.epochMs();

  file.write(Buffer.from('late\n'));
  await file.close();

  const times = file.times();
  expect(findBounds(times, 6)).toEqual({ earliest: laterAt, latest: laterAt });
  expect(findSince(times, laterAt - 60_000)).toBe(6);
  expect(findAfter(times, laterAt - 60_000)).toBe(6);
  expect(findSince(times, laterAt + 1)).toBeNull();
});

test('a flood makes one mark a second', async () => {
  const [path, clock] = [tempFile(), createVirtualClock()];
  const file = new LogFile({ path, maxBytes: 1024 * 1024, clock });
  for (let count = 0; count < 5_000; count += 1) {
    file.write(toLine(clock.epochMs()));
    clock.advance(1);
  }

  await file.close();

  expect(parseTimeIndex(readFileSync(timesPathOf(path), 'utf8'))).toHaveLength(5);
});

test('an index stays bounded, in order and true', () => {
  const path = tempFile('a.log.times');
  const index = new TimeIndex(path);
  const count = 12_000;
  const lineBytes = 14;
  let printed = '';
  // A second and a line each, and now and then an hour of silence.
  let at = Date.UTC(2026, 0, 1);
  for (let line = 0; line < count; line += 1) {
    const since = at;
    at += line % 1_000 === 0 ? 3_600_000 : 1_000;
    index.add({ offset: line * lineBytes, position: line * lineBytes, since, until: at });
    printed += toLine(at).toString();
  }

  const marks = toLengthMarks(index.read(), 'offset');

  expect(readFileSync(path, 'utf8').match(/^at /gm)?.length).toBeLessThanOrEqual(4096);
  expect(marks.map(({ offset }) => offset)).toEqual(marks.map(({ offset }) => offset).sort((a, b) => a - b));
  expect(findLies(printed, { marks, lastAt: at })).toEqual([]);
  const newest = findBounds({ marks, lastAt: at }, (count - 100) * lineBytes);
  expect((newest.latest ?? 0) - (newest.earliest ?? 0)).toBeLessThanOrEqual(1_000);
  // The hours of silence are kept: output before them and after them has its own times.
  expect(marks.filter(({ since, until }) => until - since === 3_600_000)).toHaveLength(count / 1_000);
});

test('a half line of an index says nothing', () => {
  const path = tempFile('a.log.times');
  writeFileSync(path, '\nat 0 0 1000 2000\n\nat 50 50 30');
  const index = new TimeIndex(path);
  index.add({ offset: 70, position: 70, since: 4_000, until: 5_000 });

  expect(index.read().map(({ offset }) => offset)).toEqual([0, 70]);
});

test.each(['at 50 50 1795000000000 179500', 'moved 64 1000 13', 'moved 64 10'])(
  'a line that was cut in a number says nothing: %s',
  (half) => {
    const whole = '\nat 0 0 1790000000000 1790000000000\n\nat 90 90 1795000000000 1795000000000\n';

    const marks = toLengthMarks(parseTimeIndex(`${whole}\n${half}\n`), 'position');

    expect(marks).toEqual(toLengthMarks(parseTimeIndex(whole), 'position'));
  },
);

test('a wall clock that was set back makes no order', () => {
  const marks = toLengthMarks(
    parseTimeIndex('at 0 0 1000 2000\nat 10 10 500 600\nat 20 20 2500 3000\n'),
    'offset',
  );

  expect(marks.map(({ offset }) => offset)).toEqual([0, 20]);
});

test('a wall clock that was adjusted keeps each mark', () => {
  const marks = toLengthMarks(parseTimeIndex('at 0 0 1000 2000\nat 10 10 1995 9000\n'), 'offset');

  expect(marks[1]).toEqual({ offset: 10, since: 2_000, until: 9_000 });
});

test('an index that cannot be written loses no output', async () => {
  const [path, clock] = [tempFile(), createVirtualClock()];
  writeFileSync(path, '');
  const elsewhere = tempFile('elsewhere');
  writeFileSync(elsewhere, 'mine');
  const { symlinkSync } = await import('node:fs');
  symlinkSync(elsewhere, timesPathOf(path));
  const file = new LogFile({ path, maxBytes: 1024, clock });

  file.write(Buffer.from('all of it\n'));
  await file.close();

  expect(readFileSync(path, 'utf8')).toBe('all of it\n');
  expect(file.degraded).toBeNull();
  expect(file.times().marks).toEqual([]);
  expect(readFileSync(elsewhere, 'utf8')).toBe('mine');
});

test('output between two supervisors has both bounds', async () => {
  const [path, statusPath, clock] = [tempFile(), tempFile('a.status'), createVirtualClock()];
  let text = '';
  const print = (line: string) => {
    text += line;
    writeFileSync(path, text);
    utimesSync(path, clock.epochMs() / 1_000, clock.epochMs() / 1_000);
    return { offset: text.length - line.length, at: clock.epochMs() };
  };
  const open = () => createFileLog({ clock, path, statusPath, maxBytes: 1024 * 1024, isOver: false });
  const hour = 3_600_000;
  const settle = async () => {
    clock.advance(1_000);
    await new Promise(setImmediate);
  };

  const before = open();
  const first = print('first\n');
  await settle();
  await settle();
  await before.close();
  const leftAt = clock.epochMs();
  clock.advance(hour);
  const alone = print('alone\n');
  clock.advance(hour);
  const after = open();
  const adoptedAt = clock.epochMs();
  await settle();
  clock.advance(hour);
  await settle();
  const last = print('last\n');

  const times = after.times();
  expect(findBounds(times, first.offset).earliest).toBeLessThanOrEqual(first.at);
  expect(findBounds(times, first.offset).latest).toBeLessThanOrEqual(first.at + 1_000);
  expect(findBounds(times, alone.offset)).toEqual({ earliest: leftAt, latest: adoptedAt });
  expect(findSince(times, alone.at)).toBe(alone.offset);
  expect(findBounds(times, last.offset).earliest).toBeGreaterThanOrEqual(last.at - 1_000);
  expect(findBounds(times, last.offset).latest).toBe(last.at);
  await after.close();
});

test.each([
  ['holes', punchHole],
  ['a cut', copyTailAndTruncate],
])('times hold in a log that lost its middle by %s', async (_, way) => {
  const [path, statusPath, clock] = [tempFile(), tempFile('a.status'), createVirtualClock()];
  const maxBytes = 64 * 1024;
  const open = (isOver: boolean) =>
    createFileLog({ clock, path, statusPath, maxBytes, isOver, truncationStrategies: [way] });
  const log = open(false);
  for (let second = 0; second < 24; second += 1) {
    appendFileSync(path, toLine(clock.epochMs()).toString().repeat(300));
    clock.advance(1_000);
    const isCut = statSync(path).blocks * 512 <= maxBytes;
    if (!isCut) await waitUntil(() => statSync(path).blocks * 512 <= maxBytes);
    await new Promise(setImmediate);
  }
  await log.close();

  const later = open(true);
  const chunks = [...later.chunks(0)].filter((piece) => piece.type === 'chunk');
  const lies = chunks.flatMap(({ bytes, offset }) =>
    findLies(`${' '.repeat(offset)}\n${Buffer.from(bytes)}`.slice(1), later.times()),
  );

  expect(later.stats().droppedBytes).toBeGreaterThan(maxBytes / 2);
  expect(lies).toEqual([]);
});

test('a log without an index has no times', () => {
  const path = tempFile();
  writeFileSync(path, 'old\n');
  const log = createFileLog({
    ...{ clock: createVirtualClock(), path, statusPath: null },
    ...{ maxBytes: null, isOver: true },
  });

  expect(log.times().marks).toEqual([]);
  expect(findBounds(log.times(), 0).earliest).toBeNull();
});
