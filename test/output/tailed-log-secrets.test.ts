import { appendFileSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { outputCondition } from '../../src/observe/wait/output-condition.ts';
import { createLineSearch } from '../../src/output/line-search.ts';
import { toGapLine } from '../../src/output/log-map.ts';
import { lines$, output$ } from '../../src/output/observables.ts';
import type { OpenFile } from '../../src/output/read-log-map.ts';
import { readOutput } from '../../src/output/read-output.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { followMatches } from '../../src/watches/follow-matches.ts';
import { tempDir } from '../support/os.ts';
import { createFileLog } from '../support/output-logs.ts';
import { bytesOf } from './arrange.ts';

const secret = 'hunter2-secret';
const covered = '[redacted]****';

function arrange(
  written = '',
  { stream = 'stdout', openFile }: { stream?: 'stdout' | 'screen'; openFile?: OpenFile } = {},
) {
  const directory = tempDir();
  onTestFinished(directory.remove);
  const [path, statusPath] = [directory.file('a.log'), directory.file('a.status')];
  writeFileSync(path, written);
  const clock = createVirtualClock();
  const log = createFileLog({
    clock,
    path,
    statusPath,
    maxBytes: 2 ** 20,
    isOver: false,
    stream,
    ...(openFile !== undefined && { openFile }),
  });
  onTestFinished(() => log.close());
  return { path, statusPath, clock, log, shown: (from = 0) => bytesOf(log.chunks(from)).toString() };
}

test('a typed secret is covered wherever its log is read', () => {
  const { log, shown } = arrange(`the key is ${secret}!\n`);
  const lines: string[] = [];

  log.addSecret(secret);
  lines$(log, { clock: createVirtualClock() }).subscribe(
    (line) => void lines.push('text' in line ? line.text : 'gap'),
  );

  expect(shown()).toBe(`the key is ${covered}!\n`);
  expect(bytesOf(log.chunksBackward()).toString()).toBe(shown());
  expect(lines).toEqual([`the key is ${covered}!`]);
  expect(readOutput(log, { format: 'raw' }).text).toBe('the key is [redacted]!\n');
  expect(readOutput(log, { grep: 'hunt|secret' }).text).toBe('');
});

test('a short secret is covered by a part of the mark', () => {
  const { log } = arrange('pin 0815.\n');
  log.addSecret('0815');

  expect(readOutput(log).text).toBe('pin [red.\n');
});

test.for(['stdout', 'screen'] as const)('masking is the same wherever reading begins (%s)', (stream) => {
  const drawn = [secret, 'hunter2 \r-sec\x1b[7mret', 'hunter2-x', 'größe-über-alles', `${secret}${secret}`];
  const { log, path } = arrange('', { stream });
  for (const each of [secret, 'größe-über-alles']) log.addSecret(each);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...drawn, 'hunt', ' ', '\n', 'é'), { maxLength: 4 }), (parts) => {
      const text = Buffer.from(parts.join(''));
      writeFileSync(path, Buffer.concat([Buffer.from('.'.repeat(log.bytes)), text]));
      const [begin, end] = [log.bytes - text.byteLength, log.bytes];
      const whole = bytesOf(log.chunks(begin));

      expect(whole.byteLength).toBe(text.byteLength);
      expect(whole.toString()).not.toMatch(/hunter|secret|größe/);
      for (let from = begin; from <= end; from += 1)
        expect(bytesOf(log.chunks(from))).toEqual(whole.subarray(from - begin));
    }),
    { numRuns: 8 },
  );
});

test('a read that begins inside a secret shows none of it', () => {
  const { log } = arrange(`key ${secret}\n`);
  log.addSecret(secret);

  expect(readOutput(log, { since: 9 }).text).toBe('cted]****\n');
});

test('a secret printed in two halves shows less than half', () => {
  for (let cut = 1; cut < secret.length; cut += 1) {
    const { log, path } = arrange(`key ${secret.slice(0, cut)}`);
    log.addSecret(secret);
    const first = readOutput(log, { format: 'raw' });

    appendFileSync(path, `${secret.slice(cut)}\n`);
    const second = readOutput(log, { since: first.to, format: 'raw' });

    expect(first.text.replace('key ', ''), `cut at ${cut}`).toMatch(/^(h?u?n?t?e?r?|\[redacte?d?\]?)$/);
    expect(second.text, `cut at ${cut}`).toMatch(/^[[redact\]*]*\n$/);
  }
});

test('a prompt with the beginning of a secret is not held back', () => {
  const { log, shown } = arrange('h');
  log.addSecret(secret);

  expect(shown()).toBe('h');
});

test('a secret over two chunks of a long log is covered', () => {
  const before = '.'.repeat(65_536 - 5);
  const { log, shown } = arrange(`${before}${secret}${before}`);
  log.addSecret(secret);

  expect(shown()).toBe(`${before}${covered}${before}`);
  expect(bytesOf([...log.chunksBackward()].reverse()).toString()).toBe(shown());
});

test('the lines of a secret stay lines', () => {
  const { log } = arrange('-----KEY\nabcdefgh\n-----END\nok\n');
  log.addSecret('-----KEY\nabcdefgh\n-----END');

  expect(readOutput(log, { format: 'raw' }).text).toBe('[redacte\n]*******\n********\nok\n');
  expect(readOutput(log, { tail: 1 }).text).toBe('ok\n');
});

test('half a secret beside a gap is covered', () => {
  const { log, statusPath, shown } = arrange(
    `${secret.slice(0, 8)}${'\0'.repeat(100)}${secret.slice(5)} ok\n`,
  );
  log.addSecret(secret);
  writeFileSync(statusPath, toGapLine({ from: 8, to: 108 }));

  expect(shown()).toBe('[redacte[redacted ok\n');
});

test('a secret is covered in the file once its process has ended', async () => {
  const far = 'x'.repeat(256 * 1024 - 5);
  const { path, log } = arrange(`${far}${secret}\nrest ${secret}`);
  log.addSecret(secret);
  const before = readFileSync(path, 'utf8');

  await log.close();

  expect(before).toContain(secret);
  expect(readFileSync(path, 'utf8')).toBe(`${far}${covered}\nrest ${covered}`);
});

test('a log that cannot be read is not called covered', async () => {
  let isFull = false;
  const { log } = arrange(secret, {
    openFile: (path) => {
      if (isFull) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return openSync(path, 'r');
    },
  });
  log.addSecret(secret);

  isFull = true;
  await log.close();
  isFull = false;

  expect(log.stats().degraded).toMatchObject({
    what: expect.stringContaining('a secret is in the log file'),
    error: 'too many open files',
  });
});

test('without secrets the bytes are those of the file', () => {
  const { log, shown } = arrange(`${secret}\n`);

  expect(shown()).toBe(`${secret}\n`);
  expect(log.redact(secret)).toBe(secret);
});

test('no wait, search or watch tells a secret letter by letter', () => {
  const { log, path, clock } = arrange();
  log.addSecret(secret);
  const told: string[] = [];
  const watched = ['got=h', 'secret'].map((pattern) =>
    followMatches(log, {
      pattern,
      from: log.positions,
      clock,
      onMatched: () => told.push(pattern),
      onProblem: (why) => told.push(why),
    }),
  );

  appendFileSync(path, `got=${secret}\n`);
  for (const each of watched) {
    each.finish(() => {});
    each.stop();
  }
  for (const pattern of ['got=h', 'got=hu', 'secret$']) {
    const search = createLineSearch({ type: 'pattern', pattern }, { maxLines: 1 });
    for (const piece of log.chunks(0)) search.push(piece);
    expect(search.search(), pattern).toMatchObject({ count: 0 });
  }
  log.finish();
  const handle = { output$: output$(log) } as ProcessHandle;
  const wait = (text: string) =>
    outputCondition({ type: 'text', text }, { handle, from: 0 }).watch({
      holds: () => void told.push(text),
      impossible: (why: string) => void told.push(why),
    } as never);
  for (const text of ['got=h', 'got=[redacted]']) wait(text)();

  expect(told).toEqual(['got=[redacted]']);
});
