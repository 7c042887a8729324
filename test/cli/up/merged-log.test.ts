import { expect, test } from 'vitest';
import { createMergedLog } from '../../../src/cli/verbs/up/merged-log.ts';
import type { OutputPiece } from '../../../src/output/output-chunk.ts';
import type { ProcessHandle } from '../../../src/process/process-handle.ts';
import { fakeIo } from '../fake-io.ts';

const chunk = (text: string, offset = 0) =>
  ({ type: 'chunk', stream: 'stdout', offset, bytes: Buffer.from(text), at: 0 }) as unknown as OutputPiece;
const gap = (droppedBytes: number) =>
  ({ type: 'gap', stream: 'stdout', from: 0, to: droppedBytes, droppedBytes }) as unknown as OutputPiece;

const printing = (...pieces: readonly OutputPiece[]) =>
  ({
    async *output() {
      yield* pieces;
    },
  }) as unknown as ProcessHandle;

function arrange(options: Parameters<typeof fakeIo>[0] = {}, names = ['web', 'a-long-name']) {
  const place = fakeIo(options);
  let above = 0;
  const log = createMergedLog(names, {
    io: place.io,
    above: (print) => {
      above += 1;
      print();
    },
  });
  return { log, rows: () => place.stdout().split('\n'), above: () => above };
}

test('each line begins with the name of its process', async () => {
  const { log, rows, above } = arrange();

  await log.follow('web', printing(chunk('one\ntw'), chunk('o\n\nrest')));
  await log.follow('a-long-name', printing(chunk('x\n')));
  log.annotate('web', 'is \x1b[31mready');

  expect(rows()).toEqual([
    'web         │ one',
    'web         │ two',
    'web         │',
    'web         │ rest',
    'a-long-name │ x',
    'web         │ is ready',
    '',
  ]);
  // Nothing is printed for a piece without a whole line.
  expect(above()).toBe(5);
});

test('missing output is counted between the lines', async () => {
  const { log, rows } = arrange({}, ['web']);

  await log.follow('web', printing(chunk('torn'), gap(70), chunk('new\n', 74)));

  expect(rows()).toEqual([
    'web │ torn',
    'web │ … 70 bytes are missing here; the log file contains them',
    'web │ new',
    '',
  ]);
});

test('a file gets what the process printed, a terminal only its colours', async () => {
  const drawn = '\x1b[31mred\n10 %\r20 %\x1b[K\n\x1b[2Jcleared\n100 %\r\n';
  const file = arrange({}, ['web']);
  const terminal = arrange({ columns: 80 }, ['web']);

  await file.log.follow('web', printing(chunk(drawn)));
  await terminal.log.follow('web', printing(chunk(drawn)));

  expect(file.rows()[0]).toBe('web │ \x1b[31mred');
  const plain = terminal.rows().map((row) => row.replace(/^.*? │\S* /, ''));
  expect(plain).toEqual(['\x1b[31mred\x1b[0m', '20 %', 'cleared', '100 %', '']);
});
