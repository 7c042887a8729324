import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { createFileLog } from '../support/output-logs.ts';
import { createLog, settle, watch } from './rig.ts';

const bytes = (text: string) => Buffer.from(text);

test('a line counts that came before the watch', async () => {
  const log = createLog();
  log.write('stderr', bytes('Listening on 3000\n'));

  const verdict = watch({ line: 'Listening' }, { log });
  await settle();

  expect(verdict.said).toEqual(['ready']);
});

test('a line of an earlier attempt counts for nothing', async () => {
  const log = createLog();
  log.write('stdout', bytes('ready\nbye\n'));

  const verdict = watch({ line: 'ready' }, { log, fromOffset: log.bytes });
  log.write('stdout', bytes('starting\n'));
  await settle();
  const before = [...verdict.said];
  log.write('stdout', bytes('ready\n'));
  await settle();

  expect(before).toEqual([]);
  expect(verdict.said).toEqual(['ready']);
});

test('colours and chunks do not hide a line', async () => {
  const log = createLog();
  const text = bytes('\x1b[32mserver \x1b[1mis\x1b[0m bereit für alle\x1b[0m\r\n');

  const verdict = watch({ line: /^server is bereit für alle$/ }, { log });
  for (const byte of text) {
    log.write('stdout', Uint8Array.of(byte));
    log.write('stderr', bytes('.'));
  }
  await settle();

  expect(verdict.said).toEqual(['ready']);
});

test.each(['g', 'y', 'gy'])('an expression with %s carries nothing over', async (flags) => {
  const log = createLog();
  const line = new RegExp('ready', flags);
  line.lastIndex = 3;

  const verdicts = [watch({ line }, { log }), watch({ line }, { log })];
  log.write('stdout', bytes('not yet\n'));
  log.write('stdout', bytes('ready\n'));
  await settle();

  expect(verdicts.map(({ said }) => said)).toEqual([['ready'], ['ready']]);
  expect(line.lastIndex).toBe(3);
});

test('an expression waits for the line end', async () => {
  const log = createLog();

  const verdict = watch({ line: /server (?!failed)/ }, { log });
  log.write('stdout', bytes('server '));
  log.write('stdout', bytes('failed\n'));
  await settle();

  expect(verdict.said).toEqual([]);
});

test('a prompt without a line end is found', async () => {
  const log = createLog();

  const verdict = watch({ line: '>>> ' }, { log });
  log.write('stdout', bytes('Python 3\n>>'));
  log.write('stdout', bytes('> '));
  await settle();

  expect(verdict.said).toEqual(['ready']);
});

test('text is not found across two streams or lines', async () => {
  const log = createLog();

  const verdict = watch({ line: 'ready' }, { log });
  log.write('stdout', bytes('rea'));
  log.write('stderr', bytes('dy\n'));
  log.write('stdout', bytes('\ndy\n'));
  await settle();

  expect(verdict.said).toEqual([]);
});

test('a long log in a file takes many turns', async () => {
  const clock = createVirtualClock();
  const directory = tempDir();
  const path = directory.file('log');
  writeFileSync(path, `${`${'hay '.repeat(1_000)}\n`.repeat(400)}needle\n`);
  const log = createFileLog({ clock, path, statusPath: null, maxBytes: 2 ** 30, isOver: true });
  onTestFinished(directory.remove);

  const verdict = watch({ line: 'needle' }, { log, clock });
  await Promise.resolve();
  const early = [...verdict.said];

  expect(early).toEqual([]);
  expect(await verdict.first).toBe('ready');
});

test('a line longer than memory is searched to its end', async () => {
  const log = createLog();

  const verdict = watch({ line: 'ready' }, { log });
  for (let chunk = 0; chunk < 40; chunk += 1) log.write('stdout', Buffer.alloc(65_536, 'x'));
  log.write('stdout', bytes('ready'));
  await settle();

  expect(verdict.said).toEqual(['ready']);
});
