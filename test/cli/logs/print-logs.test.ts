import { expect, test } from 'vitest';
import type { LogFlags } from '../../../src/cli/verbs/logs/log-query.ts';
import { printLogs } from '../../../src/cli/verbs/logs/logs.ts';
import { waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

type Output = NonNullable<FakeProcess['output']>;

const out = (bytes: Uint8Array | string) => ({ stream: 'stdout', bytes }) as const;
const err = (bytes: Uint8Array | string) => ({ stream: 'stderr', bytes }) as const;
const numbers = [out(Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join(''))];

function logs(
  output: Output,
  {
    flags = {},
    columns,
    env = {},
    live = false,
    view: facts = {},
  }: {
    flags?: LogFlags;
    columns?: number;
    env?: Record<string, string>;
    live?: boolean;
    view?: Partial<Pick<ReturnType<typeof endedView>, 'terminal' | 'output'>>;
  } = {},
) {
  const fake = fakeIo({ env, ...(columns !== undefined && { columns }) });
  const view = live ? processView({ id: 'tool_a' }) : { ...endedView({ id: 'tool_a' }), ...facts };
  const { open, orders, end } = fakeStateDirectory([{ view, output }]);
  return { ...fake, orders, end, code: printLogs({ words: ['tool_a'], flags, io: fake.io, open }) };
}

test('logs print the last fifty lines by default', async () => {
  const { code, stdout } = logs(numbers);

  expect(await code).toBe(0);
  expect(stdout().trimEnd().split('\n')).toEqual(
    Array.from({ length: 50 }, (_, index) => `line ${index + 10}`),
  );
});

test.each([
  [{ tail: 'all' }, 60],
  [{ tail: '3' }, 3],
  [{ tail: '12' }, 12],
  [{ tail: '0' }, 0],
  [{ since: '7' }, 59],
  [{ since: '7', tail: '2' }, 2],
  [{ grep: 'line 5.$' }, 10],
  [{ grep: 'LINE 5.', ignoreCase: true, tail: '4' }, 4],
  [{ stream: 'stderr' }, 0],
] as const)('logs with %j print as many lines', async (flags, count) => {
  const { code, stdout } = logs(numbers, { flags });

  expect(await code).toBe(0);
  expect(stdout().split('\n').length - 1).toBe(count);
});

test('logs report an offset beyond the end', async () => {
  const { code, stdout, stderr } = logs(numbers, { flags: { since: '100000' } });

  expect(await code).toBe(0);
  expect(stdout()).toBe('');
  expect(stderr()).toMatch(/^troupe: --since is 100000; the output has \d+ bytes so far\.\n$/);
});

test('logs do not wait for a running process', async () => {
  const { code, stdout } = logs([out('a\n'), err('b\n')], { live: true });

  expect(await code).toBe(0);
  expect(stdout()).toBe('a\nb\n');
});

test('logs --follow end with the process', async () => {
  const { code, stdout, end } = logs([out('a\n')], { flags: { follow: true }, live: true });
  await waitUntil(() => stdout() === 'a\n');

  end(endedView({ id: 'tool_a' }) as Parameters<typeof end>[0]);

  expect(await code).toBe(0);
});

test('logs write every byte to a pipe', async () => {
  const bytes = Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x00, 0xff, 0xc3, 0x0d, 0x0a]);

  const { code, stdoutBytes } = logs([out(bytes)]);
  await code;

  expect(stdoutBytes()).toEqual(bytes);
});

test.each([
  ['colours', [out('\x1b[31mred\x1b[0m\n')], 'red\n'],
  ['cut sequences', [out('\x1b[3'), out('1mred\n')], 'red\n'],
  ['cut characters', [out(Buffer.from([0xc3])), out(Buffer.from([0xa9, 0x0a]))], 'é\n'],
  ['a title', [out('\x1b]0;title\x07x\n')], 'x\n'],
  ['the end of a line in two', [out('one\r'), out('\ntwo\n')], 'one\ntwo\n'],
  ['a progress bar', [out('10%\r20%')], '10%\r\x1b[K20%'],
  ['a move of the cursor', [out('a\x1b[10db\x1b[2Xc\x1b[s\x1b[ud\n')], 'abcd\n'],
  ['another character set', [out('\x1b(Bletters\x1b(0\n')], 'letters\n'],
  ['a spinner by column one', [out('\x1b[2K\x1b[1G- go\x1b[2K\x1b[1G| go\n')], '\r\x1b[K- go\r\x1b[K| go\n'],
])('logs strip %s for a terminal', async (_, output, shown) => {
  const { code, stdout } = logs(output, { columns: 80 });
  await code;

  expect(stdout()).toBe(shown);
});

test('logs reset the colours of output in a terminal', async () => {
  const output = [out('\x1b[31mred\x1b[0m \x1b[1;32mgreen\x1b[3A\x1b[>4;2m\n')];

  const { code, stdout } = logs(output, { columns: 80, env: { NO_COLOR: '' } });
  await code;

  expect(stdout()).toBe('\x1b[31mred\x1b[0m \x1b[1;32mgreen\n\x1b[0m');
});

test('logs point at the screen verb for a full-screen program', async () => {
  const terminal = { type: 'terminal', columns: 80, rows: 24, attach: null, because: 'asked for' } as const;

  const { code, stderr } = logs([out('\x1b[?1049h\x1b[5;1Hvim')], { columns: 80, view: { terminal } });
  await code;

  expect(stderr()).toContain('tool_a is a full-screen program: troupe screen tool_a shows its screen.');
});

test('logs report output that may be incomplete', async () => {
  const output = { ...processView({ id: 'x' }).output, degraded: 'the disk was full: some is missing' };

  const { code, stderr } = logs(numbers, { view: { output } });
  await code;

  expect(stderr()).toContain('The output of tool_a may be incomplete: the disk was full: some is missing.');
});

test.each([
  [{}, 'server │ up\nserver │ 10%\r20%\nw      │ a\nw      │ b\n'],
  [{ columns: 80 }, 'server │ up\nserver │ 20%\nw      │ a\nw      │ b\n'],
])('logs of several processes prefix lines with names', async (where, printed) => {
  const { io, stdout } = fakeIo(where);
  const { open } = fakeStateDirectory([
    { view: endedView({ id: 'tool_a', label: 'server' }), output: [out('up\n10%\r2'), out('0%\n')] },
    { view: endedView({ id: 'tool_b', label: 'w' }), output: [out('a\nb')] },
  ]);

  const code = await printLogs({ words: ['server', 'w'], flags: {}, io, open });

  expect(code).toBe(0);
  expect(stdout()).toBe(printed);
});

test('logs of several processes reset colours after each line', async () => {
  const { io, stdout } = fakeIo({ columns: 80, env: { NO_COLOR: '' } });
  const { open } = fakeStateDirectory([
    { view: endedView({ id: 'tool_a', label: 'a' }), output: [out('\x1b[31mred\nplain\n')] },
    { view: endedView({ id: 'tool_b', label: 'b' }), output: [out('b\n')] },
  ]);

  await printLogs({ words: ['a', 'b'], flags: {}, io, open });

  expect(stdout()).toBe('a │ \x1b[31mred\x1b[0m\na │ plain\nb │ b\n');
});

test('logs drop an escape sequence that never ends', async () => {
  const { code, stdout } = logs([out('x\x1b]0;forever')], { columns: 80 });
  await code;

  expect(stdout()).toMatch(/^x[ -~]*$/);
});

test('logs --raw write every byte to a terminal', async () => {
  const { code, stdout } = logs([out('\x1b[31mred\n')], { flags: { raw: true }, columns: 80 });
  await code;

  expect(stdout()).toBe('\x1b[31mred\n');
});

test('logs --json print streams and offsets', async () => {
  const unknown = { at: null, latestAt: null };
  const { code, stdout } = logs([out('é\n'), err(Buffer.from([0xff])), out('x')], { flags: { json: true } });
  await code;

  const lines = stdout().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { offset: 0, stream: 'stdout', ...unknown, text: 'é\n' },
    { offset: 3, stream: 'stderr', ...unknown, base64: '/w==' },
    { offset: 4, stream: 'stdout', ...unknown, text: 'x' },
  ]);
});

test('logs --grep match a line that arrived in parts', async () => {
  const output = [out('no\nye'), err('other yes\n'), out('s\nyes, unfinished')];

  const { code, stdout } = logs(output, { flags: { grep: '^yes' } });
  await code;

  expect(stdout()).toBe('yes\nyes, unfinished');
});

test('logs note dropped bytes where they were', async () => {
  const output = [out('a\n'), { ...out('b\n'), droppedBytes: 40 }];

  const { code, stdout, stderr } = logs(output, { flags: { tail: 'all' } });
  await code;

  expect(stdout()).toBe('a\nb\n');
  expect(stderr()).toContain('40 bytes before offset 42 are no longer kept.');
});

test('logs --grep join no lines across a gap', async () => {
  const output = [out('left'), { ...out('right\nleftright\n'), droppedBytes: 40 }];

  const { code, stdout } = logs(output, { flags: { grep: 'leftright|^left' } });
  await code;

  expect(stdout()).toBe('leftleftright\n');
});

test('logs --grep search a long line in linear time', async () => {
  const cpuMsOf = async (pieces: number) => {
    const output = [...Array.from({ length: pieces }, () => out(Buffer.alloc(1024, 'x'))), out('yes\n')];
    const before = process.cpuUsage();
    const { code, stdout } = logs(output, { flags: { grep: 'yes' } });
    await code;
    expect(stdout()).toHaveLength(pieces * 1024 + 4);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  await cpuMsOf(1_000);

  const [short, long] = [await cpuMsOf(1_000), await cpuMsOf(16_000)];

  expect(long / short).toBeLessThan(64);
});

test('logs --grep print matches before more output arrives', async () => {
  const output = [out('yes\n'), err('no\n')];

  const { stdout, end, code } = logs(output, { flags: { grep: 'yes', follow: true }, live: true });
  await waitUntil(() => stdout() === 'yes\n');

  end(endedView({ id: 'tool_a' }) as Parameters<typeof end>[0]);
  expect(await code).toBe(0);
});

test.each([
  [{ tail: 'few' }, '--tail is "few"; expected a number of lines'],
  [{ since: 'soon' }, '--since is "soon"; expected how long ago'],
  [{ grep: '(' }, '--grep is "(", which is not a regular expression'],
])('logs refuse %j', (flags, problem) => {
  const { io } = fakeIo();

  expect(() => printLogs({ words: ['x'], flags, io, open: fakeStateDirectory([]).open })).toThrow(problem);
});
