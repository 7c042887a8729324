import { expect, test } from 'vitest';
import { cleanRecords } from '../../../src/cli/verbs/clean.ts';
import { printEvents } from '../../../src/cli/verbs/events.ts';
import { extendLimits } from '../../../src/cli/verbs/extend.ts';
import { parseTypingOrder, pressKeys } from '../../../src/cli/verbs/keys.ts';
import { type KillFlags, killProcesses } from '../../../src/cli/verbs/kill.ts';
import { signalEach } from '../../../src/cli/verbs/pause.ts';
import { resizeTerminal } from '../../../src/cli/verbs/resize.ts';
import { restartProcesses } from '../../../src/cli/verbs/restart.ts';
import { printScreen } from '../../../src/cli/verbs/screen.ts';
import { showProcess } from '../../../src/cli/verbs/show.ts';
import { watchProcess } from '../../../src/cli/verbs/watch.ts';
import { writeInput } from '../../../src/cli/verbs/write.ts';
import { TroupeError } from '../../../src/config/troupe-error.ts';
import type { StateDirectory } from '../../../src/state-directory/state-directory.ts';
import { fakeIo } from '../fake-io.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const screen = {
  ...{ columns: 20, rows: 4, lines: ['', 'tea', ' '], scrollback: ['earlier'] },
  ...{ cursor: { column: 2, row: 1, isVisible: true }, isAlternate: false, title: null, isLast: false },
};
const running: FakeProcess = {
  view: processView({ id: 'tool_a', label: 'repl' }),
  screen: { ok: true, screen, drawing: null, offset: 40 },
};

type Call = (on: {
  readonly word: string;
  readonly flags: object;
  readonly io: ReturnType<typeof fakeIo>['io'];
  readonly open: ReturnType<typeof fakeStateDirectory>['open'];
}) => Promise<number>;

const verbs = {
  extend: ({ flags, ...on }) => extendLimits({ ...on, flags: { maxTime: '2h', ...flags } }),
  keys: (on) => pressKeys({ ...on, typed: [{ type: 'keys', keys: ['Up'] }] }),
  pause: ({ word, ...on }) => signalEach({ ...on, words: [word], act: (state, id) => state.pause(id) }),
  resize: (on) => resizeTerminal({ ...on, size: '120x40' }),
  restart: ({ word, ...on }) => restartProcesses({ ...on, words: [word] }),
  screen: (on) => printScreen(on),
  show: (on) => showProcess(on),
  watch: (on) => watchProcess(on),
  write: ({ flags, ...on }) =>
    writeInput({ ...on, text: ['moin'], flags: { newline: true, ...flags } as never }),
} as const satisfies Record<string, Call>;

/** Calls a verb; `changes` replaces requests of the state directory. */
async function run(
  verb: keyof typeof verbs,
  {
    word = 'repl',
    flags = {},
    changes = {},
    process = running,
  }: { word?: string; flags?: object; changes?: Partial<StateDirectory>; process?: FakeProcess } = {},
) {
  const place = fakeIo();
  const { open, orders } = fakeStateDirectory([process, { view: endedView({ id: 'tool_over' }) }]);
  const call = verbs[verb] as Call;
  const opened = () => Object.assign(open(), changes);
  const code = await call({ word, flags, io: place.io, open: opened as never });
  return { code, stdout: place.stdout(), stderr: place.stderr(), orders };
}

test.each(Object.keys(verbs) as (keyof typeof verbs)[])(
  '%s of an unknown process changes nothing',
  async (verb) => {
    expect(await run(verb, { word: 'something else' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'troupe: Process "something else" not found. troupe ps -a lists them.\n',
      orders: ['close'],
    });
  },
);

test.each([
  ['extend', 'tool_a (repl): --max-time is 2h 00m.\n'],
  ['keys', 'Typed in tool_a (repl): Up.\n'],
  ['pause', 'Process tool_a is paused (1 process).\n'],
  ['resize', 'The terminal of tool_a (repl) has 120 columns and 40 rows.\n'],
  ['restart', 'Process tool_a is restarting.\n'],
  ['write', '5 bytes written to tool_a (repl).\n'],
] as const)('%s says what it did, and nothing when it is to be quiet', async (verb, stdout) => {
  expect(await run(verb)).toMatchObject({ code: 0, stdout, stderr: '' });
  expect(await run(verb, { flags: { quiet: true } })).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test.each([
  ['extend', { id: 'tool_a', changed: true }],
  ['keys', { id: 'tool_a', ok: true, bytesWritten: 1 }],
  ['pause', [{ id: 'tool_a', ok: true, pids: [4711], message: 'Process tool_a is paused (1 process).' }]],
  ['resize', { id: 'tool_a', columns: 120, rows: 40, ok: true, bytesWritten: 0 }],
  ['restart', [{ id: 'tool_a', restarted: true, error: null }]],
  ['screen', { id: 'tool_a', ...screen }],
  ['write', { id: 'tool_a', bytesWritten: 5, inputEnded: false, error: null }],
] as const)('%s answers as JSON', async (verb, answer) => {
  const { code, stdout, stderr } = await run(verb, { flags: { json: true } });

  expect([code, JSON.parse(stdout), stderr]).toEqual([0, answer, '']);
});

const refused = async () => ({ ok: false, bytesWritten: 3, code: 'ended', error: 'It has ended' }) as never;
const unreachable: () => Promise<never> = async () => {
  throw new TroupeError({ code: 'unreachable', message: 'It is halted.' });
};
const broken: () => Promise<never> = async () => {
  throw new TypeError('odd');
};

test.each<readonly [keyof typeof verbs, object, string]>([
  [
    'extend',
    { changeLimits: async () => false },
    'troupe: tool_a (repl) has ended and has no limits to change.\n',
  ],
  ['keys', { sendKeys: refused }, 'troupe: It has ended\n'],
  ['resize', { resize: refused }, 'troupe: It has ended\n'],
  ['screen', { capture: refused }, 'troupe: It has ended\n'],
  ['write', { write: refused }, 'troupe: It has ended. 3 bytes were written.\n'],
  ['pause', { pause: unreachable }, 'troupe: It is halted.\n'],
  ['restart', { restart: unreachable }, 'troupe: It is halted.\n'],
  [
    'restart',
    { restart: async () => false },
    'troupe: tool_a (repl) cannot be restarted: it has ended or is being stopped.\n',
  ],
])('%s that is refused says why, even when it is to be quiet', async (verb, changes, stderr) => {
  const given = { changes: changes as never };

  expect(await run(verb, given)).toMatchObject({ code: 1, stdout: '', stderr });
  expect(await run(verb, { ...given, flags: { quiet: true } })).toMatchObject({
    code: 1,
    stdout: '',
    stderr,
  });
});

test.each<readonly [keyof typeof verbs, object, object, string]>([
  ['extend', { changeLimits: async () => false }, { id: 'tool_a', changed: false }, ''],
  ['keys', { sendKeys: refused }, { ok: false, bytesWritten: 3, error: 'It has ended' }, ''],
  ['resize', { resize: refused }, { ok: false, columns: 120, error: 'It has ended' }, ''],
  ['screen', { capture: refused }, { ok: false, error: 'It has ended' }, 'troupe: It has ended\n'],
  ['write', { write: refused }, { bytesWritten: 3, error: 'It has ended.', inputEnded: false }, ''],
  ['pause', { pause: unreachable }, [{ id: 'tool_a', ok: false, message: 'It is halted.' }], ''],
  ['restart', { restart: unreachable }, [{ id: 'tool_a', restarted: false, error: 'It is halted.' }], ''],
])('%s that is refused answers as JSON', async (verb, changes, answer, printed) => {
  const { code, stdout, stderr } = await run(verb, { changes: changes as never, flags: { json: true } });

  expect([code, stderr]).toEqual([1, printed]);
  expect(JSON.parse(stdout)).toMatchObject(answer);
});

test.each([
  ['pause', { pause: broken }],
  ['restart', { restart: broken }],
] as const)('%s does not hide a fault', async (verb, changes) => {
  await expect(run(verb, { changes: changes as never })).rejects.toThrow('odd');
});

test.each([
  [['a'], 'bytes written to', '2 bytes written to tool_a (repl), and its input is closed.\n'],
  [['-'], '', 'The input of tool_a (repl) is closed.\n'],
])('a write of %j that closes the input says so', async (text, _, stdout) => {
  const place = fakeIo();
  const { open } = fakeStateDirectory([running]);
  place.endInput();

  const code = await writeInput({
    ...{ word: 'repl', text, io: place.io, open },
    flags: { newline: true, eof: true },
  });

  expect([code, place.stdout()]).toEqual([0, stdout]);
});

test('a refused end of the input is told', async () => {
  const changes = { endInput: refused } as never;

  expect(await run('write', { changes, flags: { eof: true } })).toMatchObject({
    code: 1,
    stderr: 'troupe: It has ended. 5 bytes were written.\n',
  });
});

test('a person who types the input is told how to end it', async () => {
  const place = fakeIo({ columns: 80 });
  place.endInput('moin\n');
  const { open, orders } = fakeStateDirectory([running]);

  await writeInput({ word: 'repl', text: [], io: place.io, open, flags: { newline: true } });

  expect(orders[0]).toEqual({ write: 'tool_a', data: 'moin\n' });
  expect(place.stderr()).toContain('Type the input; Ctrl-D ends it.');
});

const options = [
  { long: '--text', required: true },
  { long: '--paste', required: true },
  { long: '--enter', short: '-e' },
  { long: '--state-dir', required: true },
] as never;
const keys = (...names: readonly string[]) => ({ type: 'keys', keys: names });

test.each([
  [['repl'], []],
  [
    ['repl', 'Up', 'C-c'],
    [keys('Up'), keys('C-c')],
  ],
  [
    ['--text', 'a b', 'repl', 'Up'],
    [{ type: 'text', text: 'a b' }, keys('Up')],
  ],
  [
    ['repl', '--text=a=b', '--paste', '-'],
    [
      { type: 'text', text: 'a=b' },
      { type: 'paste', text: '-' },
    ],
  ],
  [['repl', '--enter', 'Up', '-e'], [keys('Up')]],
  [['repl', '--state-dir', 'x', 'Up'], [keys('Up')]],
  [['repl', '--text'], [{ type: 'text', text: '' }]],
  [
    ['--', 'repl', '--text', '--'],
    [keys('--text'), keys('--')],
  ],
  [['repl', '-x'], [keys('-x')]],
])('the words %j are typed in their order', (words, typed) => {
  expect(parseTypingOrder(words, { options })).toEqual(typed);
});

const press = async (typed: readonly object[], flags: object = {}) => {
  const place = fakeIo();
  const { open, orders } = fakeStateDirectory([running]);
  place.endInput('from stdin');
  await pressKeys({ word: 'repl', typed: typed as never, flags, io: place.io, open });
  return { orders: orders.slice(0, -1), stdout: place.stdout() };
};
const order = (own: object) => ({
  sendKeys: 'tool_a',
  text: '',
  paste: false,
  keys: [],
  pressEnter: false,
  ...own,
});

test.each([
  [[keys('Up'), keys('Down')], {}, [order({ keys: ['Up', 'Down'] })]],
  [[keys('Up'), { type: 'text', text: 'a' }], {}, [order({ keys: ['Up'] }), order({ text: 'a' })]],
  [
    [{ type: 'text', text: '-' }, keys('Up'), { type: 'paste', text: '-' }],
    { enter: true },
    [order({ text: '-', keys: ['Up'] }), order({ text: 'from stdin', paste: true, pressEnter: true })],
  ],
  [[{ type: 'paste', text: 'a' }], {}, [order({ text: 'a', paste: true })]],
  [[], { enter: true }, [{ sendKeys: 'tool_a', pressEnter: true }]],
])('the parts %j with %j become requests', async (typed, flags, orders) => {
  expect((await press(typed, flags)).orders).toEqual(orders);
});

test('text alone is not repeated', async () => {
  expect((await press([{ type: 'text', text: 'secret' }])).stdout).toBe('Typed in tool_a (repl).\n');
});

test.each([
  [[], 'there is nothing to type: name keys such as Enter, C-c, Up, F5, or give --text or --paste.'],
  [[keys('abc')], expect.stringContaining('goes into --text')],
])('the parts %j are refused', (typed, message) => {
  const call = () =>
    pressKeys({
      ...{ word: 'repl', flags: {}, io: fakeIo().io },
      typed: typed as never,
      open: fakeStateDirectory([]).open,
    });

  expect(call).toThrow(expect.objectContaining({ code: 'invalid-option', message }));
});

test('keys that fail halfway count what was typed', async () => {
  let calls = 0;
  const sendKeys = async () => {
    calls += 1;
    return (calls === 1 ? { ok: true, bytesWritten: 2 } : await refused()) as never;
  };
  const place = fakeIo();
  const { open } = fakeStateDirectory([running]);
  const opened = () => Object.assign(open(), { sendKeys });

  const code = await pressKeys({
    ...{ word: 'repl', flags: { json: true }, io: place.io, open: opened },
    typed: [keys('Up'), { type: 'text', text: 'a' }, { type: 'text', text: 'b' }] as never,
  });

  expect([code, calls]).toEqual([1, 2]);
  expect(JSON.parse(place.stdout())).toMatchObject({ ok: false, bytesWritten: 5 });
});

test.each([['-1'], ['1.5'], ['x'], [''], ['100001']])('a scrollback of %j is refused', (scrollback) => {
  const call = () => printScreen({ word: 'repl', flags: { scrollback }, io: fakeIo().io });

  expect(call).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: `--scrollback is "${scrollback}"; expected a number of lines, at most 100000.`,
    }),
  );
});

test.each([
  [{}, { scrollbackLines: 0, withDrawing: false }, ''],
  [{ scrollback: '0' }, { scrollbackLines: 0, withDrawing: false }, ''],
  [{ scrollback: '100000' }, { scrollbackLines: 100_000, withDrawing: false }, ''],
  [
    { colour: true },
    { scrollbackLines: 0, withDrawing: true },
    'troupe: The colours are omitted, because this screen shows a secret.\n',
  ],
])('screen with %j asks for %j', async (flags, asked, note) => {
  const { code, orders, stdout, stderr } = await run('screen', { flags });

  expect([code, stdout, stderr]).toEqual([0, 'earlier\n\ntea\n', note]);
  expect(orders[0]).toEqual({ capture: 'tool_a', ...asked });
});

test('the last screen of an ended process has no colours to omit', async () => {
  const last = { ok: true, screen: { ...screen, isLast: true }, drawing: null, offset: 40 } as const;
  const { stderr } = await run('screen', { process: { ...running, screen: last }, flags: { colour: true } });
  const asJson = await run('screen', { flags: { colour: true, json: true } });

  expect([stderr, asJson.stderr]).toEqual(['', '']);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ drawing: null });
});

test.each([
  [{ forgotten: 1, logsRemoved: 2, freedBytes: 1 }, 'Removed 1 ended process and 2 logs, 1 bytes.\n'],
  [{ forgotten: 0, logsRemoved: 0, freedBytes: 0 }, 'Removed 0 ended processes and 0 logs, 0 bytes.\n'],
])('clean counts %j', async (removed, stdout) => {
  const place = fakeIo();
  const { open } = fakeStateDirectory([]);
  const sweep = async () => ({ ...removed, warnings: ['A record is damaged.'] });
  const opened = () => Object.assign(open(), { sweep }) as never;
  const clean = (flags: object) => cleanRecords({ flags, io: place.io, open: opened });

  await clean({});
  await clean({ quiet: true });
  await clean({ json: true, dryRun: true });

  const [first = '', second = ''] = place.stdout().split(/(?<=\n)/);
  expect(first).toBe(stdout);
  expect(JSON.parse(second)).toEqual({ ...removed, dryRun: true });
  expect(place.stderr()).toBe('troupe: A record is damaged.\n'.repeat(3));
});

const facts = { at: new Date(2026, 0, 1, 3, 4, 5).getTime(), supervisorId: 'sup_1' };
const process = processView({ id: 'tool_a', label: 'repl' });

test.each([
  [{ type: 'process.started', process }, '03:04:05 tool_a (repl) process.started\n'],
  [
    { type: 'process.ended', process: endedView({ id: 'tool_b' }) },
    '03:04:05 tool_b process.ended (failed)\n',
  ],
  [
    { type: 'process.killed', process, detail: 'by \x1b[31mthe user' },
    '03:04:05 tool_a (repl) process.killed (by the user)\n',
  ],
  [
    { type: 'process.faulted', process, error: 'no room' },
    '03:04:05 tool_a (repl) process.faulted no room\n',
  ],
  [
    { type: 'events.dropped', count: 7 },
    '03:04:05 sup_1 events.dropped 7 events are missing here: they came too fast\n',
  ],
])('the event %j is one line', async (event, line) => {
  const place = fakeIo();
  const { open } = fakeStateDirectory([]);
  const asked: unknown[] = [];
  async function* events(options: unknown) {
    asked.push(options);
    yield { ...facts, ...event };
    yield { ...facts, type: 'supervisor.unheard', why: 'it is halted' };
  }
  const opened = () => Object.assign(open(), { events }) as never;

  const code = await printEvents({ flags: {}, io: place.io, open: opened });
  const json = await printEvents({ flags: { json: true }, io: place.io, open: opened });

  expect([code, json]).toEqual([0, 0]);
  expect(place.stdout()).toBe(
    `${line}${JSON.stringify({ ...facts, ...event })}\n${JSON.stringify({ ...facts, type: 'supervisor.unheard', why: 'it is halted' })}\n`,
  );
  expect(place.stderr()).toBe('troupe: no events of supervisor sup_1: it is halted\n');
  expect(asked[0]).toMatchObject({ since: expect.any(Number), signal: expect.any(AbortSignal) });
});

const receipt = { signalled: 'SIGTERM', escalated: false, survivors: [], leftoversEnded: [], durationMs: 5 };

/** Kills what a test names. */
async function kill(words: readonly string[], flags: KillFlags, changes: object = {}) {
  const place = fakeIo();
  const answer = { type: 'killed', receipt, message: 'Process tool_a is gone.' } as never;
  const { open, orders } = fakeStateDirectory([{ ...running, answer }], {
    warnings: ['A record is damaged.'],
  });
  const opened = () => Object.assign(open(), changes) as never;
  const code = await killProcesses({ words, flags, io: place.io, open: opened });
  return { code, stdout: place.stdout(), stderr: place.stderr(), orders };
}

test('kill that is quiet prints nothing for what is gone', async () => {
  expect(await kill(['repl'], { quiet: true })).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('kill tells which process no supervisor could kill', async () => {
  const changes = { kill: unreachable };

  expect(await kill(['repl'], {}, changes)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'troupe: It is halted.\n',
  });
  const { code, stdout } = await kill(['repl'], { json: true }, changes);
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    [{ id: 'tool_a', type: 'failed', message: 'It is halted.' }],
  ]);
  await expect(kill(['repl'], {}, { kill: broken })).rejects.toThrow('odd');
});

test('kill of a process that was cancelled is done', async () => {
  const changes = { kill: async () => ({ type: 'cancelled', message: 'It was cancelled.' }) };

  expect(await kill(['repl'], {}, changes)).toMatchObject({ code: 0, stdout: 'It was cancelled.\n' });
});

test('kill --all passes warnings on, and asks for the living', async () => {
  const { stdout, stderr, orders } = await kill([], { all: true });

  expect([stdout, stderr]).toEqual(['Process tool_a is gone.\n', 'troupe: A record is damaged.\n']);
  expect(orders[0]).toEqual({ kill: 'tool_a', by: 'user' });
});

test.each([
  [{ all: true, json: true }, '[]\n'],
  [{ all: true, quiet: true }, ''],
  [{ all: true }, 'No live processes known in /project/.troupe\n'],
])('kill with %j of nothing prints what fits', async (flags, stdout) => {
  const place = fakeIo();
  const { open } = fakeStateDirectory([]);

  expect(await killProcesses({ words: [], flags, io: place.io, open })).toBe(0);
  expect(place.stdout()).toBe(stdout);
});
