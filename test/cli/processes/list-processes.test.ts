import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { type ListFlags, listProcesses } from '../../../src/cli/verbs/ps.ts';
import { fakeIo } from '../fake-io.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const live = { view: processView({ id: 'tool_live', label: 'server' }) };
const ended = { view: endedView({ id: 'tool_ended' }) };

async function list(
  processes: readonly FakeProcess[],
  {
    flags = {},
    columns,
    warnings,
  }: { flags?: ListFlags; columns?: number; warnings?: readonly string[] } = {},
) {
  const fake = fakeIo({ ...(columns !== undefined && { columns }) });
  const { open } = fakeStateDirectory(processes, { ...(warnings !== undefined && { warnings }) });
  const code = await listProcesses({ flags, io: fake.io, open });
  return { code, stdout: fake.stdout(), stderr: fake.stderr() };
}

test('ps lists only live processes', async () => {
  const listed = await list([live, ended]);

  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toContain('tool_live');
  expect(listed.stdout).not.toContain('tool_ended');
});

const member = (pid: number, command: string) => ({ pid, pgid: pid, startedAt: '1', command });

test('ps lists an ended process while its leftovers live', async () => {
  const leftovers = [member(4712, 'redis-server *:6379'), member(4713, 'sleep 1000')];
  const view = { ...endedView({ id: 'tool_left' }), leftovers } as FakeProcess['view'];

  const { stdout } = await list([ended, { view }]);

  expect(stdout.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^ {2}tool_left +failed/),
    '    └ by start_process · of assistant_1',
    '    └ still alive: 4712 redis-server *:6379',
    '    └ still alive: 4713 sleep 1000',
    '',
  ]);
});

test('ps lists an ended process while a suspect lives', async () => {
  const suspects = [member(4712, 'nginx: master process nginx')];
  const view = { ...endedView({ id: 'tool_left' }), suspects } as FakeProcess['view'];

  const { stdout } = await list([ended, { view }]);

  expect(stdout).toContain('    └ possibly left behind: 4712 nginx: master process nginx\n');
});

test('ps names five of many leftovers', async () => {
  const leftovers = Array.from({ length: 9 }, (_, n) => member(n + 2, 'worker'));
  const view = { ...endedView({ id: 'tool_left' }), leftovers } as FakeProcess['view'];

  const { stdout } = await list([{ view }]);

  expect(stdout.match(/still alive/g)).toHaveLength(5);
  expect(stdout).toContain('└ and 4 more\n');
});

test('ps --all lists the newest end last', async () => {
  const earlier = { view: { ...endedView({ id: 'tool_earlier' }), endedAt: 500 } as FakeProcess['view'] };

  const { stdout } = await list([live, ended, earlier], { flags: { all: true, quiet: true } });

  expect(stdout).toBe('tool_live\ntool_earlier\ntool_ended\n');
});

test.each([
  [{}, 'No live processes known in /project/.troupe\n'],
  [{ all: true }, 'No processes known in /project/.troupe\n'],
  [{ quiet: true }, ''],
  [{ json: true }, '[]\n'],
])('ps with %j reports an empty list', async (flags, expected) => {
  expect(await list([], { flags })).toEqual({ code: 0, stdout: expected, stderr: '' });
});

test('ps --json prints one array of views', async () => {
  const { stdout } = await list([live, ended], { flags: { json: true } });

  expect(JSON.parse(stdout)).toEqual([{ ...live.view, supervisorId: 'sup_1', answered: true }]);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
});

test('ps reports unreadable records on stderr', async () => {
  const listed = await list([live], { warnings: ['A record is damaged.'], flags: { json: true } });

  expect(listed.stderr).toBe('troupe: A record is damaged.\n');
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
});

test('ps reports a silent supervisor under its process', async () => {
  const { stdout } = await list([{ ...live, answered: false }]);

  expect(stdout.split('\n')[2]).toContain('its supervisor does not answer');
});

test.each([40, 60, 80, 120, 200])('ps prints no line wider than %i columns', async (columns) => {
  const wide = processView({ id: 'tool_wide', label: '日本語', commandLine: `echo ${'語 '.repeat(150)}` });
  const owned = processView({ id: 'tool_owned', commandLine: 'x'.repeat(300) });

  const { stdout } = await list([{ view: wide }, { view: owned, answered: false }], { columns });

  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
  expect(lines[1]).toContain('tool_wide');
});

test('ps strips escape sequences from a command', async () => {
  const view = processView({ id: 'tool_a', commandLine: 'printf "\x1b[2J\x07"\n\tsecond \u202Eline' });

  const { stdout } = await list([{ view }], { columns: 120 });

  expect(stdout).toContain('printf "␛[2J␇" ⏎ second �line');
  expect(stdout.replaceAll(/\x1b\[\d+m|\n/g, '')).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u202e]*$/);
});
