import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { loadEmulator } from '../../../src/spawn/terminal/emulator.ts';
import { createScreen } from '../../../src/spawn/terminal/screen.ts';
import { watchDelays } from './processor-time.ts';

function arrange(size = { columns: 20, rows: 5 }) {
  const emulator = loadEmulator();
  if ('why' in emulator) throw new Error(emulator.why);
  const answers: string[] = [];
  const screen = createScreen(size, { emulator, onAnswer: (answer) => answers.push(answer) });
  onTestFinished(() => screen.close());
  const show = async (bytes: string | Uint8Array) => {
    screen.feed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    return (await screen.capture({ scrollbackLines: 0, withDrawing: false })).screen;
  };
  return { screen, answers, show };
}

test('a capture shows all bytes fed before', async () => {
  const { screen } = arrange();
  const line = `${'x'.repeat(15)}\r\n`;

  screen.feed(Buffer.from(line.repeat(20_000)));
  const early = screen.capture({ scrollbackLines: 0, withDrawing: false });
  screen.feed(Buffer.from('later'));

  expect((await early).screen.lines).toEqual([...Array(4).fill('x'.repeat(15)), '']);
});

test('a capture omits blanks at line ends', async () => {
  const { show } = arrange();

  const { lines } = await show('a b   \r\n\x1b[44m   \x1b[0m\r\n  c');

  expect(lines).toEqual(['a b', '', '  c', '', '']);
});

test('a character split at any byte is drawn whole', async () => {
  const { show, screen } = arrange();

  for (const byte of Buffer.from('é漢😀👩‍🚀“─”')) screen.feed(Buffer.from([byte]));
  const { lines, cursor } = await show('|');

  expect(lines[0]).toBe('é漢😀👩‍🚀“─”|');
  // Programs do not count joined characters as one: é 1, 漢 2, and each emoji 2.
  expect(cursor.column).toBe(1 + 2 + 2 + 4 + 3 + 1);
});

test('invalid bytes are shown as replacement characters', async () => {
  const { show } = arrange();

  const { lines } = await show(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]));

  expect(lines[0]).toBe('a\ufffd\ufffd(b');
});

test('a wide character at the edge wraps', async () => {
  const { show } = arrange({ columns: 4, rows: 3 });

  const { lines, cursor } = await show('abc😀d');

  expect(lines).toEqual(['abc', '😀d', '']);
  expect(cursor).toEqual({ column: 3, row: 1, isVisible: true });
});

test('the cursor stays on the screen', async () => {
  const { show } = arrange();

  expect((await show('x'.repeat(20))).cursor).toEqual({ column: 19, row: 0, isVisible: true });
});

test.each([
  ['CSI ? 25 l', '\x1b[?25l', false],
  ['several at once', '\x1b[?7;25l', false],
  ['hidden, then shown', '\x1b[?25l\x1b[?25h', true],
  ['a full reset', '\x1b[?25l\x1bc', true],
  ['a soft reset', '\x1b[?25l\x1b[!p', true],
  ['another mode', '\x1b[?2004l', true],
  ['split', '\x1b[?2', true],
])('a screen tracks the cursor: %s', async (_, bytes, isVisible) => {
  const { show } = arrange();

  expect((await show(bytes)).cursor.isVisible).toBe(isVisible);
});

test('a screen knows the keyboard modes', async () => {
  const { screen, show } = arrange();
  const before = await screen.modes();

  await show('\x1b[?1h\x1b[?2004h');

  expect(before).toEqual({ applicationCursor: false, bracketedPaste: false });
  expect(await screen.modes()).toEqual({ applicationCursor: true, bracketedPaste: true });
});

test('a screen answers queries of programs', async () => {
  const { show, answers } = arrange();

  await show('ab\x1b[6n\x1b[c\x1b[>c\x1b[?2004$p');

  expect(answers.join('')).toContain('\x1b[1;3R');
  expect(answers.join('')).toMatch(/\x1b\[\?[0-9;]+c.*\x1b\[>[0-9;]+c.*\x1b\[\?2004;2\$y/s);
});

test('the title is the last one and its length is bounded', async () => {
  const { show } = arrange();

  expect((await show('a')).title).toBe(null);
  expect((await show('\x1b]0;one\x07\x1b]2;two\x1b\\')).title).toBe('two');
  expect((await show(`\x1b]2;${'x'.repeat(100_000)}\x07`)).title).toHaveLength(1_000);
  expect((await show('\x1b]2;\x07')).title).toBe(null);
});

test('a resize keeps what was drawn before', async () => {
  const { screen, show } = arrange({ columns: 10, rows: 3 });

  screen.feed(Buffer.from('0123456789abc\r\n'));
  screen.resize({ columns: 20, rows: 4 });
  const { lines, columns, rows } = await show('end');

  expect({ columns, rows }).toEqual({ columns: 20, rows: 4 });
  expect(lines).toEqual(['0123456789abc', 'end', '', '']);
});

test('a drawing reproduces the same screen', async () => {
  const { screen, show } = arrange();
  const before = await show('one\r\n\x1b[31mtwo 漢\x1b[0m\x1b[?25l\x1b[2;3H');

  const { drawing } = await screen.capture({ scrollbackLines: 0, withDrawing: true });
  const after = await arrange().show(`${drawing}`);

  expect(after).toEqual(before);
  expect(drawing).toContain('\x1b[31m');
});

test('the scrollback is bounded', async () => {
  const { screen } = arrange();
  screen.feed(Buffer.from(Array.from({ length: 30_000 }, (_, index) => `${index}\r\n`).join('')));

  const { screen: seen } = await screen.capture({ scrollbackLines: 100_000, withDrawing: false });

  expect(seen.scrollback).toHaveLength(1_000);
  expect(seen.scrollback.at(-1)).toBe('29995');
});

test('a screen that is behind asks for a pause', async () => {
  const { screen } = arrange();
  const chunk = Buffer.alloc(64 * 1024, 'y\r\n');

  let fed = 0;
  while (screen.feed(chunk)) fed += chunk.length;
  await new Promise<void>((resolve) => screen.whenCaughtUp(resolve));

  expect(fed).toBe(1024 * 1024);
  expect(screen.feed(chunk)).toBe(true);
});

test('drawing yields to other work', async () => {
  const { screen } = arrange({ columns: 120, rows: 40 });
  await screen.capture({ scrollbackLines: 0, withDrawing: false });
  const delays = watchDelays(2);

  for (let left = 8; left > 0; left -= 1) {
    const chunk = Buffer.alloc(64 * 1024, '\x1b[38;5;123mcolour\x1b[0m text\r\n');
    if (!screen.feed(chunk)) await new Promise<void>((resolve) => screen.whenCaughtUp(resolve));
  }
  await screen.capture({ scrollbackLines: 0, withDrawing: false });

  // Drawing takes turns of 12 ms; without yielding it would be a single long one.
  expect(delays.end().percentile(90)).toBeLessThan(50);
});

test.each(['I', 'L', 'M', 'S', 'T', 'Z', 'b'])('CSI %s has a bounded repeat count', async (final) => {
  const { show } = arrange();

  const { lines } = await show(`top\r\nab\x1b[2147483647${final}\r\x1b[1;1Hdone`);

  expect(lines.join('\n')).toContain('done');
});

test('a huge repeat count has the effect of the limit', async () => {
  const full = 'one\r\ntwo\r\nthree\r\nfour\r\nfive\x1b[2;1H';

  expect((await arrange().show(`${full}\x1b[999L`)).lines).toEqual(['one', '', '', '', '']);
  expect((await arrange().show(`${full}\x1b[999M`)).lines).toEqual(['one', '', '', '', '']);
  expect((await arrange().show(`${full}\x1b[999S`)).lines).toEqual(['', '', '', '', '']);
  expect((await arrange().show(`${full}\x1b[999T`)).lines).toEqual(['', '', '', '', '']);
  expect((await arrange().show(`x\x1b[999I`)).cursor.column).toBe(19);
  expect((await arrange().show(`xxxxx\x1b[999Z`)).cursor.column).toBe(0);
});

test('a cell takes a limited number of marks', async () => {
  const { show } = arrange({ columns: 10, rows: 2 });

  const { lines } = await show(`e${'\u0301'.repeat(100_000)}`);

  expect(lines.join('').length).toBeLessThan(2_000);
});

test.each([
  ['\x1b]2;', '\x07'],
  ['\x9d2;', '\x9c'],
  ['\x1bPq', '\x1b\\'],
])('output after an endless %j is shown', async (begins, ends) => {
  const { show } = arrange();

  await show(`${begins}${'x'.repeat(100_000)}`);
  const { lines } = await show(`${ends}after`);

  expect(lines[0]).toBe('after');
});

test('sequences cut into pieces draw the same screen', async () => {
  const { show } = arrange({ columns: 10, rows: 3 });

  const { lines } = await show(`${'\x1b[2J\x1b[H\x1b[2L'.repeat(2_000)}end\x1b[`);

  expect(lines[0]).toBe('end');
});

test('links take no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { show } = arrange();
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  await show('\x1b[?1049h');
  const before = used();

  const { lines } = await show('\x1b[H\x1b]8;;http://localhost/\x07open\x1b]8;;\x07'.repeat(10_000));

  // Otherwise 3 KB each.
  expect(used() - before).toBeLessThan(5 * 1024 * 1024);
  expect(lines[0]).toBe('open');
});
