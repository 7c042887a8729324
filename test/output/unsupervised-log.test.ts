import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { LogFile } from '../../src/output/log-file.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { timesPathOf } from '../../src/output/output-times.ts';
import { readOutput } from '../../src/output/read-output.ts';
import { createVirtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { createFileLog, createMemoryLog } from '../support/output-logs.ts';
import { bytesOf, droppedIn } from './arrange.ts';

const maxBytes = 16 * 1024;

function arrange() {
  const directory = tempDir();
  onTestFinished(directory.remove);
  return { path: directory.file('a.log'), clock: createVirtualClock() };
}

/** Opens a log that a supervisor has written, as if there were no supervisor any more. */
function openWithout(path: string, clock: VirtualClock): OutputLog {
  return createFileLog({
    ...{ clock, path, statusPath: `${path}.status`, maxBytes: null, isOver: true },
  });
}

/** Prints numbered lines at a hundred a second, far beyond the cap. */
async function arrangeCapped() {
  const { path, clock } = arrange();
  const supervised = createMemoryLog({
    ...{ clock, maxBufferBytes: 2 ** 20, headBytes: 1024, logFile: { path, maxBytes } },
  });
  for (let number = 0; number < 3_000; number += 1) {
    supervised.write('stdout', Buffer.from(`line ${number}\n`));
    clock.advance(10);
    if (number % 50 === 0) await supervised.flush();
  }
  supervised.markEnd();
  await supervised.close();
  return { path, clock, supervised, unsupervised: openWithout(path, clock) };
}

test('a capped log has the same length with and without its supervisor', async () => {
  const { supervised, unsupervised } = await arrangeCapped();

  expect(unsupervised.bytes).toBe(supervised.bytes);
  expect(unsupervised.missingInFile).toBe(supervised.missingInFile);
  expect(unsupervised.stats().droppedBytes).toBeGreaterThan(maxBytes / 2);
  expect(unsupervised.times().marks).toEqual(supervised.times().marks);
});

test('a capped log notes without its supervisor how much was cut', async () => {
  const { supervised, unsupervised } = await arrangeCapped();

  const { text, droppedBytes } = readOutput(unsupervised);

  const missing = supervised.missingInFile;
  expect(droppedBytes).toBe(missing);
  expect(text).toMatch(/^line 0\n/);
  expect(text).toContain(`[… ${missing} bytes of stdout are no longer kept …]\n`);
  expect(text).not.toContain('[troupe:');
  expect(text).toMatch(/\nline 2999\n$/);
});

test.each([
  ['tail', { tail: 3 }],
  ['tail and lines', { tail: 20, lines: 5 }],
  ['grep', { tail: 2, grep: '99$' }],
  ['grep with context', { tail: 3, grep: '2998', context: 1 }],
] as const)('%s finds the same in a capped log with and without its supervisor', async (_, options) => {
  const { supervised, unsupervised } = await arrangeCapped();

  const [one, other] = [readOutput(supervised, options), readOutput(unsupervised, options)];

  expect(other.text).toBe(one.text);
  expect(other.text).toContain('line 29');
  expect(other.to).toBe(one.to);
});

test('a cursor holds across the end of the supervisor', async () => {
  const { supervised, unsupervised } = await arrangeCapped();
  const since = supervised.bytes - 100;

  const [one, other] = [readOutput(supervised, { since }), readOutput(unsupervised, { since })];

  expect(other).toEqual(one);
  expect(Buffer.byteLength(other.text)).toBe(100);
});

test('output that leftovers wrote has no notice in it without the supervisor', async () => {
  const { path, clock } = arrange();
  const supervised = createMemoryLog({
    ...{ clock, maxBufferBytes: 2 ** 20, headBytes: 1024, logFile: { path, maxBytes } },
  });
  supervised.write('stdout', Buffer.from('before\n'));
  supervised.markEnd();
  supervised.write('stdout', Buffer.from('behind\n'));
  await supervised.close();

  const { text, to } = readOutput(openWithout(path, clock));

  expect(readFileSync(path, 'utf8')).toContain('[troupe: the process has ended');
  expect({ text, to }).toEqual({ text: 'before\nbehind\n', to: supervised.bytes });
});

/** Output with which a process can make its log look capped. */
const forged = '\n[troupe: 1000 bytes missing here: the log file is at its cap]\n';

test('a line that only looks like a notice is output', async () => {
  const { path, clock } = arrange();
  const supervised = createMemoryLog({
    ...{ clock, maxBufferBytes: 2 ** 20, headBytes: 1024, logFile: { path, maxBytes } },
  });
  for (const part of ['first', forged, 'last']) {
    supervised.write('stdout', Buffer.from(part));
    await supervised.flush();
    clock.advance(1_000);
  }
  await supervised.close();

  const unsupervised = openWithout(path, clock);

  expect(bytesOf(unsupervised.chunks(0)).toString()).toBe(`first${forged}last`);
  expect(unsupervised.bytes).toBe(supervised.bytes);
});

test('a log that its index contradicts is read as it is', async () => {
  const { path, clock } = await arrangeCapped();
  appendFileSync(timesPathOf(path), '\nat 7 5000 1 2\n');

  const unsupervised = openWithout(path, clock);

  expect(bytesOf(unsupervised.chunks(0))).toEqual(readFileSync(path));
});

test('a log without an index is read as it is', async () => {
  const { path, clock } = arrange();
  writeFileSync(path, `first${forged}last`);
  rmSync(timesPathOf(path), { force: true });

  expect(bytesOf(openWithout(path, clock).chunks(0)).toString()).toBe(`first${forged}last`);
});

const anyWrites = fc.array(
  fc.record({
    bytes: fc.integer({ min: 1, max: 600 }),
    pauseMs: fc.constantFrom(0, 400, 2_000),
    note: fc.boolean(),
  }),
  { minLength: 1, maxLength: 80 },
);

test('every byte of a log file has its offset without the supervisor', async () => {
  await fc.assert(
    fc.asyncProperty(anyWrites, fc.integer({ min: 1, max: 20 }), async (writes, flushEvery) => {
      const { path, clock } = arrange();
      const file = new LogFile({ path, maxBytes: 4096, clock });
      let printed = '';
      for (const [index, { bytes, pauseMs, note }] of writes.entries()) {
        clock.advance(pauseMs);
        const text = `${index}\n`.padStart(bytes, '.');
        if (note) file.note('the process has ended; the following output is late');
        file.write(Buffer.from(text));
        printed += text;
        if (index % flushEvery === 0) await file.flush();
      }
      await file.close();

      const log = openWithout(path, clock);
      const pieces = [...log.chunks(0)];

      expect(log.bytes).toBe(printed.length);
      expect(droppedIn(pieces)).toBe(file.missingBytes);
      for (const piece of pieces)
        if (piece.type === 'chunk') {
          const end = piece.offset + piece.bytes.byteLength;
          expect(Buffer.from(piece.bytes).toString()).toBe(printed.slice(piece.offset, end));
        }
    }),
    { numRuns: 60 },
  );
});
