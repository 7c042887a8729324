import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLineTimes, readTimes, toTimestamp } from '../../../src/cli/verbs/logs/line-times.ts';
import {
  createJsonFormatter,
  createPrefixedFormatter,
  createRawFormatter,
  createTerminalFormatter,
  type LogFormatter,
} from '../../../src/cli/verbs/logs/log-formatter.ts';
import type { TimedPiece } from '../../../src/cli/verbs/logs/log-reader.ts';
import { TroupeError } from '../../../src/config/troupe-error.ts';

const zone = process.env['TZ'];
beforeAll(() => {
  process.env['TZ'] = 'America/St_Johns';
});
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

type Part = string | Uint8Array | { readonly stream: 'stdout' | 'stderr'; readonly text: string };

/** Returns what is printed for each part, and at the end. */
function print(formatter: LogFormatter, ...parts: readonly Part[]): readonly string[] {
  let offset = 0;
  const printed = parts.map((part) => {
    const stream = typeof part === 'object' && 'stream' in part ? part.stream : 'stdout';
    const bytes = Buffer.from(typeof part === 'object' && 'stream' in part ? part.text : (part as string));
    const time = { earliest: offset, latest: offset + 1 };
    const piece = { stream, offset, droppedBytes: 0, bytes, time } as unknown as TimedPiece;
    offset += bytes.byteLength;
    return Buffer.from(formatter.push(piece)).toString();
  });
  return [...printed, formatter.end()];
}

const reset = '\x1b[0m';
const erase = '\r\x1b[K';

test.each([
  ['plain text', ['a\nb'], ['a\nb', '']],
  ['colours', ['\x1b[31ma\n'], ['\x1b[31ma\n', reset]],
  ['other sequences', ['\x1b[2Ja\x1b[?25l\n'], ['a\n', '']],
  ['a line that is drawn over', ['10 %\r20 %\n'], [`10 %${erase}20 %\n`, reset]],
  ['a spinner', ['a\x1b[Gb\x1b[1Gc\x1b[0Gd\x1b[2Ge'], [`a${erase}b${erase}c${erase}de`, reset]],
  ['a Windows newline', ['a\r\nb'], ['a\nb', '']],
  ['a Windows newline in two pieces', ['a\r', '\nb'], ['a', '\nb', '']],
  ['a carriage return at the end', ['a\r'], ['a', '']],
  ['a sequence in two pieces', ['a\x1b[3', '1mb'], ['a', '\x1b[31mb', reset]],
  ['a character in two pieces', [Buffer.from([0xc3]), Buffer.from([0xa4])], ['', 'ä', '']],
  ['half a character', [Buffer.from([0xc3])], ['', '�']],
  [
    'two streams',
    [
      { stream: 'stdout', text: '\x1b[3' },
      { stream: 'stderr', text: 'x' },
      { stream: 'stdout', text: '1mb' },
    ] as const,
    ['', 'x', '\x1b[31mb', reset],
  ],
  ['a sequence that never ends', [`\x1b]${'x'.repeat(5_000)}`, 'y'], [expect.stringContaining('x'), 'y', '']],
])('a terminal with colours shows %s', (_, parts, printed) => {
  expect(print(createTerminalFormatter({ hasColours: true }), ...parts)).toEqual(printed);
});

test('a terminal without colours shows none', () => {
  expect(print(createTerminalFormatter({ hasColours: false }), '\x1b[31ma\x1b[0m\n')).toEqual(['a\n', '']);
});

test('a file gets the bytes', () => {
  expect(print(createRawFormatter(), '\x1b[2J\r\n')).toEqual(['\x1b[2J\r\n', '']);
});

const named = (isTerminal: boolean, text = createRawFormatter()) =>
  createPrefixedFormatter(text, { toName: ({ offset }) => `${offset} │`, isTerminal });

test.each([
  ['whole lines', ['a\nb\n', 'c\n'], ['0 │ a\n0 │ b\n', '4 │ c\n', '']],
  ['a line in three pieces', ['a', 'b', 'c\nd', 'e\n'], ['', '', '0 │ abc\n', '0 │ de\n', '']],
  ['a line without an end', ['a\nb'], ['0 │ a\n', '0 │ b\n']],
  ['an empty line', ['\n\n'], ['0 │ \n0 │ \n', '']],
  ['a line that is drawn over', [`a${erase}b\n`], [`0 │ a${erase}b\n`, '']],
])('a name stands before %s', (_, parts, printed) => {
  expect(print(named(false), ...parts)).toEqual(printed);
});

test.each([
  ['what was drawn last', ['10 %\r20 %\n'], ['0 │ 20 %\n', '']],
  ['colours with their end', ['\x1b[31ma\nb\n'], [`0 │ \x1b[31ma${reset}\n0 │ b\n`, '']],
  ['a coloured line without an end', ['\x1b[31ma'], ['', `0 │ \x1b[31ma${reset}${reset}\n`]],
])('on a terminal a name stands before %s', (_, parts, printed) => {
  expect(print(named(true, createTerminalFormatter({ hasColours: true })), ...parts)).toEqual(printed);
});

test('a piece as JSON has its place, times and text, or its bytes', () => {
  const printed = print(createJsonFormatter({ id: 'tool_a' }), 'a\n', Buffer.from([0xc3]), '\ufeffx');

  expect(printed).toEqual([
    '{"id":"tool_a","offset":0,"stream":"stdout","at":0,"latestAt":1,"text":"a\\n"}\n',
    '{"id":"tool_a","offset":2,"stream":"stdout","at":2,"latestAt":3,"base64":"ww=="}\n',
    '{"id":"tool_a","offset":3,"stream":"stdout","at":3,"latestAt":4,"text":"\ufeffx"}\n',
    '',
  ]);
  expect(print(createJsonFormatter(), 'a')[0]).toMatch(/^\{"offset":0,/);
});

const noon = Date.UTC(2026, 0, 5, 12, 0, 0);

test.each([
  [null, null, '-                        '],
  [noon, null, '2026-01-05T08:30:00-03:30'],
  [noon, noon + 10_000, '2026-01-05T08:30:00-03:30'],
  [noon, noon + 10_001, '2026-01-05T08:30:00-03:30/2026-01-05T08:30:10-03:30'],
])('the bounds %s and %s are printed as "%s"', (earliest, latest, text) => {
  expect(toTimestamp({ earliest, latest })).toBe(text);
});

test('a zone east of Greenwich has a plus', () => {
  process.env['TZ'] = 'Asia/Kathmandu';

  expect(toTimestamp({ earliest: noon, latest: noon })).toBe('2026-01-05T17:45:00+05:45');
  process.env['TZ'] = 'America/St_Johns';
});

const mark = (offset: number, at: number) => ({ offset, from: at, until: at });
const known = (...marks: readonly object[]) => ({ marks, lastAt: null }) as never;

test('a followed log is asked again for the times of what is new, but not for each line', async () => {
  let readings = 0;
  const times = createLineTimes({
    known: known(),
    to: 10,
    read: async () => {
      readings += 1;
      return known();
    },
  });
  const beganAt = Date.now();

  const fresh = await times.at(10);

  expect(fresh.earliest).toBeGreaterThanOrEqual(beganAt - 1);
  expect(fresh.latest).toBeGreaterThanOrEqual(fresh.earliest ?? 0);
  expect(readings).toBe(0);
});

test('output from before has the times of its marks, and is not asked for again', async () => {
  const times = createLineTimes({
    known: known(mark(0, 1_000), mark(50, 2_000)),
    to: 100,
    read: () => Promise.reject(new Error('read again')),
  });

  expect(await times.at(50)).toMatchObject({ earliest: expect.any(Number) });
  expect((await times.at(50)).earliest).toBeLessThanOrEqual(2_000);
});

test('a supervisor of an older version knows no times', async () => {
  const failing = (error: unknown) => readTimes({ times: () => Promise.reject(error) } as never, 'tool_a');

  expect(await failing(new TroupeError({ code: 'protocol', message: 'x' }))).toEqual({
    marks: [],
    lastAt: null,
  });
  await expect(failing(new TroupeError({ code: 'unreachable', message: 'x' }))).rejects.toThrow('x');
});
