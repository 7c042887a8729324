import { expect, test } from 'vitest';
import { type ListedProcess, renderProcessTable } from '../../../src/cli/render/process-table.ts';
import {
  describeAwaitedInput,
  describeProcessEvent,
  toAwaitedInputMark,
  toMemberLine,
  toProcessName,
} from '../../../src/cli/render/process-text.ts';
import type { AwaitedInput } from '../../../src/process/process-view.ts';
import type { RuntimeEvent } from '../../../src/supervisor/runtime-event.ts';
import { endedView, runningView } from '../../support/views.ts';
import { markedPage, plainPage } from '../plain-page.ts';

test('a name is the id, and the label where there is one', () => {
  expect(toProcessName({ id: 'tool_a', label: null })).toBe('tool_a');
  expect(toProcessName({ id: 'tool_a', label: 'ap\x1b[31mi' })).toBe('tool_a (api)');
});

test.each([
  ['line', 'known', null, 'input', 'waits for input'],
  ['line', 'known', '  ', 'input', 'waits for input'],
  ['line', 'known', ' Name: ', 'input', 'waits for input: "Name:"'],
  ['secret', 'hint', null, 'secret?', 'seems to wait for a secret'],
  ['key', 'known', 'More', 'key', 'waits for a key: "More"'],
  ['line', 'known', 'a\nb', 'input', 'waits for input: "a ⏎ b"'],
  ['line', 'known', 'x'.repeat(61), 'input', `waits for input: "${'x'.repeat(59)}…"`],
] as const)('a process that awaits a %s (%s, %j) is marked "%s"', (kind, certainty, prompt, mark, text) => {
  const awaited: AwaitedInput = { kind, certainty, prompt, since: 0 } as AwaitedInput;

  expect([toAwaitedInputMark(awaited), describeAwaitedInput(awaited)]).toEqual([mark, text]);
});

test('a member of a tree is one line of bounded width', () => {
  const member = { pid: 7, command: '  sh -c \n   make\n' } as never;
  const long = { pid: 7, command: 'x'.repeat(200) } as never;

  expect(toMemberLine(member, { head: '└ ', page: plainPage(80) })).toBe('└ 7 sh -c ⏎ make');
  expect(toMemberLine(long, { head: '└ ', page: plainPage(20) })).toBe(`└ 7 ${'x'.repeat(15)}…`);
  expect(toMemberLine(long, { head: '└ ', page: plainPage(1_000) })).toHaveLength(120);
});

const running = runningView();
const ready = { state: 'ready', afterMs: 1_200 } as const;

test.each([
  ['process.ready', { ...running, ready }, 'is ready after 1.2s'],
  ['process.ready', running, 'is ready'],
  ['process.unready', { ...running, ready: { state: 'failed', why: 'no port' } }, 'is not ready: no port'],
  ['process.unready', running, 'is not ready'],
  ['process.started', { ...running, attempt: 1 }, null],
  ['process.started', { ...running, attempt: 2 }, 'was restarted (attempt 2)'],
  [
    'process.restarting',
    { ...running, status: 'restarting', reason: { type: 'exited', code: 3 } },
    'exited with code 3; it is restarted',
  ],
  ['process.restarting', running, 'is being restarted'],
  ['process.ended', endedView(), 'exited with code 0'],
  ['process.paused', running, null],
])('the event %s of %j reads "%s"', (type, process, text) => {
  expect(describeProcessEvent({ type, at: 0, process } as unknown as RuntimeEvent)).toBe(text);
});

const table = (...processes: readonly object[]) =>
  renderProcessTable(
    processes.map((view) => ({ answered: true, view }) as ListedProcess),
    plainPage(200),
  ).slice(1);

test.each([
  ['a process without pid', { ...running, pid: null }, '–', '1m 05s'],
  ['a process that has not started', { ...running, pid: undefined, runtimeMs: undefined }, '4711', '–'],
])('%s shows a dash', (_, view, pid, runtime) => {
  const { pid: _pid, runtimeMs: _runtimeMs, ...pending } = view;
  const shown = view.pid === undefined ? { ...pending, pid: 4711 } : view;

  const [row = ''] = table(shown);

  expect(row.trim().split(/ {2,}/).slice(3, 5)).toEqual([pid, runtime]);
});

test('a status says pause, input and progress', () => {
  const [row = ''] = table({
    ...running,
    status: 'timed_out',
    pausedAt: 3,
    awaitsInput: { kind: 'line', certainty: 'hint', prompt: null, since: 0 },
    progress: { percent: 5, state: 'running', text: null },
  });

  expect(row.trim().split(/ {2,}/)[1]).toMatch(/^timed out( · paused)? · input\? · 5 %$/);
  expect(table({ ...running, pausedAt: 3 })[0]).toContain('backgrounded · paused  ');
});

test('up to five leftovers are shown, and the number of the others', () => {
  const members = (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ pid: first + n, command: 'sleep' }));
  const ofUser = { ...endedView(), owner: 'user' };

  expect(table({ ...ofUser, leftovers: members(1, 4), suspects: members(11, 1) }).slice(1)).toEqual([
    '    └ still alive: 1 sleep',
    '    └ still alive: 2 sleep',
    '    └ still alive: 3 sleep',
    '    └ still alive: 4 sleep',
    '    └ possibly left behind: 11 sleep',
  ]);
  expect(table({ ...ofUser, leftovers: members(1, 4), suspects: members(11, 3) }).at(-1)).toBe(
    '    └ and 2 more',
  );
});

test.each(['user', 'shell'])('a process of the owner %s shows none', (owner) => {
  expect(table({ ...running, owner })).toHaveLength(1);
});

test.each([
  [running, '    └ of conv_1 · its supervisor does not answer: state as last recorded'],
  [endedView(), '    └ of conv_1'],
])('a silent supervisor is named for a live process only', (view, line) => {
  const [, , below] = renderProcessTable([{ view, answered: false }], plainPage(200));

  expect(below).toBe(line);
});

test('a command of several lines is one line after the label', () => {
  const [row = ''] = table({ ...running, owner: 'user', label: 'a\tb', commandLine: 'sh  \n   -c' });

  expect(row.trim().split(/ {2,}/).at(-1)).toBe('a b: sh ⏎ -c');
});

test('the heading and what belongs to a process are dim, the status has its colour', () => {
  const [heading = '', row = '', below = ''] = renderProcessTable(
    [{ view: running, answered: true }],
    markedPage(200),
  );

  expect(heading).toContain('{dim|COMMAND}');
  expect(row).toContain('{blue|backgrounded}');
  expect(below).toBe('    {dim|└ of conv_1}');
});
