import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LogFlags, parsePosition } from '../../../src/cli/verbs/logs/log-query.ts';
import { printLogs } from '../../../src/cli/verbs/logs/logs.ts';
import { waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';
import { fakeIo } from '../fake-io.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const minute = 60_000;
const now = Date.now();

/** One line of five bytes for each time, in minutes before now. */
function printedAt(name: string, ages: readonly number[]): Pick<FakeProcess, 'output' | 'times'> {
  const marks = ages.map((age, index) => {
    const [at, before] = [now - age * minute, now - (ages[index - 1] ?? age) * minute];
    return { offset: index * 5, since: before, until: at };
  });
  return {
    output: [
      { stream: 'stdout', bytes: ages.map((age) => `${name}${String(age).padStart(3, '0')}\n`).join('') },
    ],
    times: { marks, lastAt: now - (ages.at(-1) ?? 0) * minute },
  };
}

async function logs(processes: Readonly<Record<string, Partial<FakeProcess>>>, flags: LogFlags) {
  const { io, stdout, stderr } = fakeIo();
  const names = Object.keys(processes);
  const { open } = fakeStateDirectory(
    names.map((name) => ({ view: endedView({ id: `tool_${name}`, label: name }), ...processes[name] })),
  );
  const code = await printLogs({ words: names, flags, io, open });
  return { code, stdout: stdout(), stderr: stderr() };
}

const server = printedAt('s', [90, 60, 8, 3]);

test.each([
  [{ since: '10m' }, ['s008', 's003']],
  [{ since: '61m', until: '5m' }, ['s060', 's008']],
  [{ until: '30m' }, ['s090', 's060']],
  [{ until: '5m', tail: '1' }, ['s008']],
  [{ since: '10m', grep: '3' }, ['s003']],
  [{ since: '10m', tail: '1' }, ['s003']],
  [{ since: '1m' }, []],
  [{ until: '10' }, ['s090', 's060']],
] as const)('%j selects lines by time', async (flags, lines) => {
  const { code, stdout } = await logs({ server }, flags);

  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line !== '')).toEqual(lines);
});

const timeOf = (line: string) => Date.parse(line.split(' ')[0] ?? '');
const second = 1_000;

test('timestamps print the local time before each line', async () => {
  const { stdout } = await logs({ server }, { timestamps: true, tail: '2' });

  const lines = stdout.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d s008$/),
    expect.stringMatching(/s003$/),
  ]);
  const toSecond = (age: number) => Math.floor((now - age * minute) / second) * second;
  expect(lines.map(timeOf)).toEqual([toSecond(8), toSecond(3)]);
});

test.each([false, true])('timestamps merge several logs in order of time', async (follow) => {
  const worker = printedAt('w', [70, 7, 5]);

  const { stdout } = await logs({ server, worker }, { timestamps: true, follow });

  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.slice(-4))).toEqual([
    ...['s090', 'w070', 's060', 's008'],
    ...['w007', 'w005', 's003'],
  ]);
  expect(lines[1]).toMatch(/ worker │ w070$/);
});

test('a silent process does not delay other followed logs', async () => {
  const { io, stdout } = fakeIo();
  const { open, end } = fakeStateDirectory([
    { view: processView({ id: 'tool_quiet' }), output: [] },
    { view: endedView({ id: 'tool_done' }), ...printedAt('d', [5]) },
  ]);
  const flags = { follow: true, timestamps: true };

  const code = printLogs({ words: ['tool_quiet', 'tool_done'], flags, io, open });
  await waitUntil(() => stdout().includes('d005'));
  end(endedView({ id: 'tool_quiet' }) as Parameters<typeof end>[0]);

  expect(await code).toBe(0);
});

test('a line that no supervisor saw shows both time bounds', async () => {
  const marks = [
    { offset: 0, since: now - 60 * minute, until: now - 60 * minute },
    { offset: 5, since: now - 20 * minute, until: now },
  ];
  const unseen = { output: [{ stream: 'stdout', bytes: 'line\n' } as const], times: { marks, lastAt: now } };

  const shown = await logs({ unseen }, { timestamps: true });
  const maybe = await logs({ unseen }, { since: '30m' });

  const [first, last] = (shown.stdout.split(' ')[0] ?? '').split('/').map((text) => Date.parse(text));
  expect(now - 60 * minute - (first ?? 0)).toBeLessThan(second);
  expect(now - 20 * minute - (last ?? 0)).toBeLessThan(second);
  expect(maybe.stdout).toBe('line\n');
});

test('logs --json print times in milliseconds', async () => {
  const { stdout } = await logs({ server }, { json: true, timestamps: true, since: '10m' });

  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({ offset: 10, text: 's008\n', at: now - 8 * minute }),
    expect.objectContaining({ offset: 15, text: 's003\n', at: now - 3 * minute }),
  ]);
});

const old = { output: server.output ?? [] };

test('logs report unknown times instead of guessing', async () => {
  const shown = await logs({ old }, { timestamps: true, tail: '1' });
  const refused = await logs({ old }, { since: '10m' });

  expect(shown).toMatchObject({ code: 0, stdout: `${'-'.padEnd(25)} s003\n` });
  expect(shown.stderr).toBe(
    'troupe: the times of the output of tool_old are unknown: its log has no index of times.\n',
  );
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('--since and --until still accept offsets in bytes');
});

test('logs refuse --until with --follow', () => {
  const { io } = fakeIo();
  const flags = { follow: true, until: '5m' };

  expect(() => printLogs({ words: ['x'], flags, io, open: fakeStateDirectory([]).open })).toThrow(
    '--until cannot be combined with --follow',
  );
});

const noon = new Date(2026, 5, 15, 12, 0, 0).getTime();

test.each([
  ['4096', { type: 'offset', offset: 4096 }],
  ['90s', { type: 'time', at: noon - 90_000 }],
  ['11:30', { type: 'time', at: new Date(2026, 5, 15, 11, 30).getTime() }],
  ['23:15:10', { type: 'time', at: new Date(2026, 5, 14, 23, 15, 10).getTime() }],
  ['2026-06-15', { type: 'time', at: new Date(2026, 5, 15).getTime() }],
  ['2026-06-15T11:00', { type: 'time', at: new Date(2026, 5, 15, 11).getTime() }],
  ['2026-06-15T11:00:00Z', { type: 'time', at: Date.UTC(2026, 5, 15, 11) }],
  ['2026-06-15T11:00:00+02:00', { type: 'time', at: Date.UTC(2026, 5, 15, 9) }],
])('%s is parsed as a position in a log', (text, moment) => {
  expect(parsePosition(text, { option: '--since', nowAt: noon })).toEqual(moment);
});

test.each(['soon', '25:00', '12:60', '2026-13-01', '-5'])('%s is refused as a position in a log', (text) => {
  expect(() => parsePosition(text, { option: '--until', nowAt: noon })).toThrow(
    `--until is "${text}"; expected how long ago ("10m"), a time`,
  );
});

test.each([
  ['a pipe', ['--session']],
  ['a persistent process', []],
])('the times of %s outlive its supervisor', async (_, lifetime) => {
  await using project = daemonProject();
  const startedAt = Date.now();
  const command = 'echo one; sleep 2; echo two';
  await project.start('-n', 'a', ...lifetime, '-c', '--', command);
  await project.call('wait', 'a');
  const endedAt = Date.now();
  const supervised = await project.call('logs', '-t', 'a');
  await endDaemon(project);

  const alone = await project.call('logs', '-t', 'a');
  const recent = await project.call('logs', '--since', '10m', 'a');
  const before = await project.call('logs', '--until', '10m', 'a');

  expect(alone).toEqual(supervised);
  const [one = '', two = ''] = alone.stdout.split('\n');
  expect([one.slice(-4), two.slice(-4)]).toEqual([' one', ' two']);
  expect(timeOf(one)).toBeGreaterThanOrEqual(startedAt - second);
  expect(timeOf(two)).toBeLessThanOrEqual(endedAt);
  expect(timeOf(two) - timeOf(one)).toBeGreaterThanOrEqual(second);
  expect(recent).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
  expect(before).toMatchObject({ code: 0, stdout: '' });
});

async function endDaemon(project: ReturnType<typeof daemonProject>): Promise<void> {
  const directory = join(project.path, '.troupe/supervisors');
  const [entry = ''] = readdirSync(directory).filter((name) => name.endsWith('.json'));
  const { pid } = JSON.parse(readFileSync(join(directory, entry), 'utf8'));
  process.kill(pid, 'SIGTERM');
  await project.gone();
}

test('a followed log prints times as output arrives', async () => {
  await using project = daemonProject();
  const go = project.file('go');
  const command = `echo one; until [ -e '${go}' ]; do sleep 0.1; done; echo two`;
  await project.start('-n', 'a', '-c', '--', command);
  await waitUntil(async () => (await project.call('logs', 'a')).stdout === 'one\n', { withinMs: 60_000 });

  const following = project.troupe('logs', '-f', '-t', 'a');
  const goAt = Date.now();
  writeFileSync(go, '');
  const { stdout } = await following;

  const [one = '', two = ''] = stdout.split('\n');
  expect([one.slice(-4), two.slice(-4)]).toEqual([' one', ' two']);
  expect(timeOf(two)).toBeGreaterThanOrEqual(goAt - 2 * second);
  expect(timeOf(two)).toBeLessThanOrEqual(Date.now());
});
