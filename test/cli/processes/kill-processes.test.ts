import { expect, test } from 'vitest';
import { type KillFlags, killProcesses } from '../../../src/cli/verbs/kill.ts';
import type { KillAnswer } from '../../../src/process/process-handle.ts';
import { waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const child = { pid: 99, pgid: 99, startedAt: '1', command: 'sleep 600' };
const receipt = {
  signalled: 'SIGTERM',
  escalated: false,
  survivors: [],
  leftoversEnded: [child],
  durationMs: 5,
} as const;
const gone: KillAnswer = { type: 'killed', receipt, message: 'Process tool_a is gone.' };
const server: FakeProcess = { view: processView({ id: 'tool_a', label: 'server' }), answer: gone };
const stuck: FakeProcess = {
  view: processView({ id: 'tool_stuck' }),
  answer: {
    type: 'killed',
    receipt: { ...receipt, survivors: [child] },
    message: 'Process tool_stuck is not gone.',
  },
};
const over: FakeProcess = {
  view: endedView({ id: 'tool_over' }),
  answer: { type: 'notRunning', message: 'Process tool_over is not running.' },
};

function kill(
  words: readonly string[],
  { flags = {}, columns }: { flags?: KillFlags; columns?: number } = {},
) {
  const fake = fakeIo({ ...(columns !== undefined && { columns }) });
  const { open, orders } = fakeStateDirectory([server, stuck, over]);
  return { ...fake, orders, code: killProcesses({ words, flags, io: fake.io, open }) };
}

test('kill prints which other processes it ended', async () => {
  const { code, stdout, stderr, orders } = kill(['server']);

  expect(await code).toBe(0);
  expect(stdout()).toBe('Process tool_a is gone.\n  also ended: 99 sleep 600\n');
  expect(stderr()).toBe('');
  expect(orders).toEqual([{ kill: 'tool_a', by: 'user' }, 'close']);
});

test('kill prints a long command on one line', async () => {
  const script = `sh -c\n\twatch \x1b[31mred${' and more'.repeat(50)}`;
  const answer: KillAnswer = {
    ...gone,
    receipt: { ...receipt, leftoversEnded: [{ ...child, command: script }] },
  };
  const { io, stdout } = fakeIo();
  const { open } = fakeStateDirectory([{ ...server, answer }]);

  await killProcesses({ words: ['server'], flags: {}, io, open });

  const [, line = ''] = stdout().split('\n');
  expect(line).toMatch(/^ {2}also ended: 99 sh -c ⏎ watch ␛\[31mred and more.*…$/);
  expect(line).toHaveLength(120);
});

test('kill passes on signal and grace', async () => {
  const { code, orders } = kill(['server'], { flags: { signal: 'int', grace: '30s' } });

  expect(await code).toBe(0);
  expect(orders[0]).toEqual({ kill: 'tool_a', by: 'user', signal: 'SIGINT', grace: 30_000 });
});

test('kill ends the other processes when one fails', async () => {
  const { code, stdout, stderr, orders } = kill(['nobody', 'tool_stuck', 'tool_over', 'server']);

  expect(await code).toBe(1);
  expect(orders).toHaveLength(4);
  expect(stdout()).toContain('Process tool_a is gone.');
  expect(stderr()).toContain('Process "nobody" not found. troupe ps -a lists them.');
  expect(stderr()).toContain('Process tool_stuck is not gone.');
  expect(stderr()).toContain('Process tool_over is not running.');
});

test('kill --json includes processes that were not found', async () => {
  const { code, stdout } = kill(['server', 'nobody'], { flags: { json: true } });

  expect(await code).toBe(1);
  expect(JSON.parse(stdout())).toEqual([
    { id: 'tool_a', ...gone },
    { id: 'nobody', type: 'notFound', message: expect.stringContaining('not found') },
  ]);
});

test.each([
  ['y\r', 0, 1],
  ['yes\r', 0, 1],
  ['n\r', 1, 0],
  ['\r', 1, 0],
  ['\x03', 130, 0],
  ['\x04', 1, 0],
])('kill obeys the answer %j to its question', async (typed, expected, kills) => {
  const { code, stdout, type, orders } = kill(['server'], { columns: 80 });
  await waitUntil(() => stdout().includes('[y/N]'));

  type(typed);

  expect(await code).toBe(expected);
  expect(stdout()).toContain('server: serve');
  expect(orders).toHaveLength(kills + 1);
});

test('kill --force does not ask', async () => {
  const { code, stdout } = kill(['server'], { flags: { force: true }, columns: 80 });

  expect(await code).toBe(0);
  expect(stdout()).not.toContain('[y/N]');
});

test('kill does not ask about ended processes', async () => {
  const { code, stdout } = kill(['tool_over'], { columns: 80 });

  expect(await code).toBe(1);
  expect(stdout()).not.toContain('[y/N]');
});

test.each([
  ['TERMM', '--signal is "TERMM", and there is no such signal. Did you mean SIGTERM?'],
  ['99', '--signal is "99"'],
])('kill refuses the signal %s', (signal, problem) => {
  const { io } = fakeIo();

  const call = () =>
    killProcesses({ words: ['x'], flags: { signal }, io, open: fakeStateDirectory([]).open });

  expect(call).toThrow(problem);
});

test('kill --all kills living processes and leaves ended ones alone', async () => {
  const { code, orders } = kill([], { flags: { all: true, quiet: true } });

  expect(await code).toBe(1);
  expect(orders).toEqual([{ kill: 'tool_a', by: 'user' }, { kill: 'tool_stuck', by: 'user' }, 'close']);
});

test('kill --all without live processes says so', async () => {
  const { io, stdout } = fakeIo();
  const { open } = fakeStateDirectory([over]);

  expect(await killProcesses({ words: [], flags: { all: true }, io, open })).toBe(0);
  expect(stdout()).toMatch(/^No live processes known in /);
});

test.each([
  [[], {}, 'no process is named: give ids or labels, or --all.'],
  [['server'], { all: true }, '--all ends every process: leave out the names, or --all.'],
] as const)('kill of %j with %j is refused', (words, flags, message) => {
  expect(() => kill(words, { flags })).toThrow(message);
});
