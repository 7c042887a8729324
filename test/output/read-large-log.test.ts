import { openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { toGapLine } from '../../src/output/log-map.ts';
import { type ReadOptions, readOutput } from '../../src/output/read-output.ts';
import { tempDir } from '../support/os.ts';
import { createFileLog, type FileLogOptions } from '../support/output-logs.ts';
import { createTestLog } from './arrange.ts';

const MIB = 1024 * 1024;
const lineBytes = 32;
const lines = (40 * MIB) / lineBytes;
const directory = tempDir();
const path = directory.file('large.log');

const toLine = (index: number) => `line ${index}`.padEnd(lineBytes - 1, '.');

beforeAll(() => {
  writeFileSync(path, Array.from({ length: lines }, (_, index) => `${toLine(index)}\n`).join(''));
}, 120_000);
afterAll(directory.remove);

/** The log, and how often its file was opened: each time for 64 KiB at most. */
function open(options: Partial<FileLogOptions> = {}) {
  const counted = { opened: 0 };
  const log = createFileLog({
    ...{ clock: createRealClock(), path, statusPath: null, maxBytes: 2 ** 30, isOver: true },
    openFile: (file) => {
      counted.opened += 1;
      return openSync(file, 'r');
    },
    ...options,
  });
  return { log, counted };
}

describe('a file much longer than what is shown', { timeout: 60_000 }, () => {
  test.each<[ReadOptions]>([[{}], [{ format: 'raw' }], [{ since: 1000 }], [{ tail: 10 }], [{ lines: 10 }]])(
    'is read only where it is shown: %j',
    (options) => {
      const { log, counted } = open();

      const read = readOutput(log, options);

      expect(counted.opened).toBeLessThan(20);
      expect(read.problem).toBeNull();
    },
  );

  test.each<[ReadOptions]>([
    [{ format: 'raw' }],
    [{}],
    [{ maxBytes: 500 }],
    [{ since: 12_345, maxBytes: 100_000 }],
    [{ tail: 3 }],
    [{ tail: 5000 }],
    [{ tail: 100_000 }],
    [{ lines: 3, since: 64 }],
    [{ offset: 70_000, limit: 2 }],
    [{ offset: 400_000 }],
  ])('shows what one in memory would: %j', (options) => {
    const kept = createTestLog({ maxBufferBytes: 100 * MIB });
    kept.write('stdout', readFileSync(path));
    kept.markEnd();

    const read = readOutput(open().log, options);

    const whole = readOutput(kept, options);
    expect({ ...read, text: read.text.replace(`; all of it is in ${path}`, '') }).toEqual(whole);
  });

  test('pages go through it without loss', () => {
    const { log } = open();

    const page = readOutput(log, { limit: 1e9, format: 'raw', maxBytes: 2 * MIB });
    const next = readOutput(log, { limit: 1, format: 'raw', since: page.to });

    expect(page).toMatchObject({ truncated: true, ended: false });
    expect(page.text).toBe(readFileSync(path, 'utf8').slice(0, page.to));
    expect(next.text).toBe(`${toLine(page.to / lineBytes)}\n`);
  });

  test('more lines than can be passed over are a problem', () => {
    const { log } = open();

    const read = readOutput(log, { offset: lines - 1 });
    const beyond = readOutput(log, { offset: 1.2e6 });

    expect(beyond.problem).toContain('start further on, with `since`');
    expect(beyond).toMatchObject({ text: '', from: 0, to: 0 });
    expect(read.problem).not.toBeNull();
  });

  test('a line of many MiB has no beginning that is looked for', () => {
    const endless = directory.file('endless.log');
    writeFileSync(endless, Buffer.alloc(40 * MIB, 'x'));
    const { log, counted } = open({ path: endless });

    const read = readOutput(log, { tail: 1 });

    expect(read.truncated).toBe(true);
    expect(read.to).toBe(40 * MIB);
    expect(counted.opened).toBeLessThan(600);
  });

  test('a gap in the middle that is not looked at is counted', () => {
    const statusPath = directory.file('large.status');
    writeFileSync(statusPath, toGapLine({ from: 10 * MIB, to: 20 * MIB }));

    const read = readOutput(open({ statusPath }).log);

    expect(read.droppedBytes).toBe(10 * MIB);
    const left = Number(/\[… (\d+) bytes left out/.exec(read.text)?.[1]);
    const shown = Buffer.byteLength(read.text.replace(/\[… \d+ bytes left out[^\n]*\n/, ''));
    expect(left + shown).toBe(40 * MIB);
    expect(read.omittedBytes).toBe(left);
    expect(read.text).toContain(`; ${path} has all but ${10 * MIB} bytes of the output …]`);
  });

  test('a secret that a cut divides is not shown by half', () => {
    const secret = 'sesame-0123456789abcdefghijklmnopqrstuvwxyz-open';
    const secretive = directory.file('secret.log');
    writeFileSync(secretive, secret.repeat((4 * MIB) / secret.length));

    const read = readOutput(open({ path: secretive, secrets: [secret] }).log, { maxBytes: 10 * MIB });
    const folded = readOutput(open({ path: secretive, secrets: [secret] }).log);

    expect(read.text.replaceAll('[redacted]', '')).toBe('');
    expect(folded.text).toContain('bytes left out');
    expect(folded.text.replace(/\[… .* …\]/, '')).not.toMatch(/[0-9]|mnop|open|sesa/);
  });
});

describe('searching a long file', { timeout: 60_000 }, () => {
  test('looks through its newest bytes and says so', () => {
    const { log, counted } = open();

    const read = readOutput(log, { grep: `line (0|${lines - 1})\\.` });

    expect(read).toMatchObject({ truncated: true, to: statSync(path).size, problem: null });
    expect(read.text).toBe(
      `[… the first ${39 * MIB} bytes were not searched: \`since\` 0 begins there …]\n${toLine(lines - 1)}\n`,
    );
    expect(counted.opened).toBeLessThan(40);
  });

  test('with `since` each read continues where the last one stopped', () => {
    const { log } = open();
    const found: string[] = [];
    let since = 0;
    let isOver = false;

    for (let reads = 0; reads < 60 && !isOver; reads += 1) {
      const read = readOutput(log, { grep: '000\\.', since, maxBytes: MIB });
      found.push(...read.text.split('\n').filter((line) => line.startsWith('line')));
      since = read.to;
      isOver = read.ended;
    }

    expect(isOver).toBe(true);
    expect(found).toEqual(
      Array.from({ length: lines }, (_, index) => index)
        .filter((index) => index % 1000 === 0 && index > 0)
        .map(toLine),
    );
  });
});
