import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import type { News } from '../../src/mailbox/news.ts';
import type { VirtualClock } from '../../src/testing/index.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import type { VirtualOptions } from '../support/virtual.ts';
import { turn } from '../support/virtual.ts';

/** Opens supervisors of one directory, each `laterMs` after the one before. */
function openDirectory() {
  const directory = openDirectoryHarness({ maxBackgroundTime: 0, notifyAfterSilence: 0 });
  let epochMs = Date.UTC(2026, 0, 1);
  return {
    path: directory.path,
    open: ({ laterMs = 0, ...options }: VirtualOptions & { laterMs?: number } = {}) => {
      epochMs += laterMs;
      const harness = directory.open({ epochMs, ...options });
      const { supervisor } = harness;
      const news: News[] = [];
      return {
        ...harness,
        news,
        listen: () => supervisor.news$.subscribe((each) => news.push(each)),
        files: () => readdirSync(directory.file('schedules')).filter((name) => name.endsWith('.json')),
        crash: () => directory.crash(supervisor),
      };
    },
  };
}

/** The log is a file: that it grows is noticed by and by. */
function untilTold(
  { clock, news }: { clock: VirtualClock; news: readonly News[] },
  count: number,
): Promise<unknown> {
  return waitUntil(() => {
    clock.advance(10);
    return news.length >= count;
  });
}

const persistent = { command: ['server'] as [string], lifetime: 'persistent', background: true } as const;

test('a schedule continues where it stopped', async () => {
  const { open } = openDirectory();
  const first = open();
  first.listen();
  const { id } = first.supervisor.schedule({ message: 'Look.', every: 60_000, owner: 'a' });
  first.clock.advance(90_000);
  first.crash();

  const second = open({ laterMs: 100_000 });
  second.listen();
  second.clock.advance(19_999);
  expect(second.news).toEqual([]);
  second.clock.advance(1);

  expect(second.news).toMatchObject([{ id: `${id}/2`, owner: 'a', missed: 0, schedule: { id, told: 2 } }]);
});

test('missed reminders are delivered once, with their count', async () => {
  const { open } = openDirectory();
  const first = open();
  first.supervisor.schedule({ message: 'every', every: 60_000 });
  first.supervisor.schedule({ message: 'once', after: 61_000 });
  first.crash();

  const second = open({ laterMs: 250_000 });
  second.listen();
  second.clock.advance(1_000);

  expect(second.news).toMatchObject([
    { missed: 3, schedule: { message: 'every' } },
    { missed: 0, schedule: { message: 'once' } },
  ]);
  expect(second.supervisor.schedules()).toHaveLength(1);
  expect(second.files()).toHaveLength(1);
  second.clock.advance(50_000);
  expect(second.news).toHaveLength(3);
});

test('the next supervisor delivers an undelivered reminder under the same id', async () => {
  const { open } = openDirectory();
  const first = open();
  const { id } = first.supervisor.schedule({ message: 'once', after: 900 });
  const every = first.supervisor.schedule({ message: 'every', every: 1_000 });
  first.clock.advance(3_500);
  first.crash();

  const second = open({ laterMs: 4_000 });
  second.clock.advance(0);
  second.listen();

  expect(second.news).toMatchObject([
    { id: `${id}/1`, missed: 0 },
    { id: `${every.id}/1`, missed: 3 },
  ]);
});

test('a reminder waits for its owner even if others heard it', async () => {
  const { open } = openDirectory();
  const { supervisor, clock, listen, files } = open();
  const heard: News[] = [];
  supervisor.schedule({ message: 'unheard', after: 1_000, owner: 'a' });
  clock.advance(1_000);
  listen();
  supervisor.schedule({ message: 'overheard', after: 1_000, owner: 'a' });
  clock.advance(1_000);
  expect(files()).toEqual([]);

  supervisor.newsOf('a').subscribe((news) => heard.push(news));

  expect(heard).toMatchObject([{ schedule: { message: 'unheard' } }, { schedule: { message: 'overheard' } }]);
});

test('a reminder of an ended process is not delivered', async () => {
  const { open } = openDirectory();
  const { supervisor, backend, clock, listen, news } = open();
  const heard: News[] = [];
  const { id } = supervisor.start(persistent);
  listen();
  supervisor.schedule({ message: 'Look.', after: 1_000, owner: 'a', process: id });
  clock.advance(1_000);
  expect(news).toHaveLength(1);

  backend.lastRun.exit();
  await turn();
  supervisor.newsOf('a').subscribe((each) => heard.push(each));

  expect(heard).toEqual([]);
});

test('a delivered reminder is not delivered again', async () => {
  const { open } = openDirectory();
  const first = open();
  first.listen();
  first.supervisor.schedule({ message: 'once', after: 1_000 });
  first.clock.advance(1_000);
  expect(first.news).toHaveLength(1);
  first.crash();

  const second = open({ laterMs: 60_000 });
  second.listen();
  second.clock.advance(60_000);

  expect(second.news).toEqual([]);
  expect(second.files()).toEqual([]);
});

test('an orderly shutdown leaves schedules to the next', async () => {
  const { open } = openDirectory();
  const first = open();
  first.supervisor.schedule({ message: 'Look.', after: 5_000 });
  await first.supervisor.shutdown();

  const second = open({ laterMs: 1_000 });
  second.listen();
  second.clock.advance(4_000);

  expect(second.news).toHaveLength(1);
});

test('a reminder delivered during the shutdown is not repeated', async () => {
  const { open } = openDirectory();
  const first = open();
  first.supervisor.schedule({ message: 'once', after: 1_000 });
  first.supervisor.schedule({ message: 'every', every: 1_000 });
  first.clock.advance(1_000);
  const stopped = first.supervisor.shutdown();
  first.listen();
  await stopped;

  const second = open({ laterMs: 1_500 });
  second.listen();
  second.clock.advance(0);

  expect(first.news).toHaveLength(2);
  expect(second.news).toEqual([]);
  expect(second.supervisor.schedules()).toMatchObject([{ message: 'every', told: 1 }]);
});

test('schedules of another live supervisor are left alone', async () => {
  const { open } = openDirectory();
  const first = open();
  first.listen();
  const { id } = first.supervisor.schedule({ message: 'Look.', after: 5_000 });

  const second = open();
  second.listen();
  expect(second.supervisor.schedules()).toEqual([]);
  expect(second.supervisor.unschedule(id)).toBe(false);
  for (const { clock } of [first, second]) clock.advance(5_000);

  expect(first.news).toHaveLength(1);
  expect(second.news).toEqual([]);
});

test('a supervisor taken for dead leaves adopted schedules alone', async () => {
  const { open } = openDirectory();
  const first = open();
  const { id } = first.supervisor.schedule({ message: 'Look.', every: 5_000 });
  first.crash();
  const second = open();

  expect(first.supervisor.unschedule(id)).toBe(true);

  expect(second.supervisor.schedules()).toMatchObject([{ id }]);
  expect(second.files()).toEqual([`${id}.json`]);
});

test('a schedule follows its process, and goes with it', async () => {
  const { open } = openDirectory();
  const first = open();
  const { id } = first.supervisor.start(persistent);
  first.supervisor.schedule({ message: 'Look.', every: 1_000, process: id });
  first.crash();

  const second = open({ laterMs: 10_500 });
  second.listen();
  second.clock.advance(1_000);
  expect(second.news).toMatchObject([{ missed: 10, schedule: { processId: id } }]);
  second.backend.lastRun.exit();
  await turn();
  second.clock.advance(10_000);

  expect(second.news).toHaveLength(1);
  expect(second.files()).toEqual([]);
});

test('a process that ended meanwhile gets no reminder', async () => {
  const { open } = openDirectory();
  const first = open();
  const { id } = first.supervisor.start(persistent);
  const mortal = first.supervisor.start({ command: ['mortal'], background: true });
  for (const process of [id, mortal.id])
    first.supervisor.schedule({ message: 'Look.', every: 1_000, process });
  first.supervisor.watch(id, { quiet: 100 });
  first.clock.advance(50);
  first.crash();

  const second = open({
    laterMs: 60_000,
    script: (run) => {
      run.beAdopted();
      run.exit({ code: 3 });
    },
  });
  second.listen();
  await turn();
  second.clock.advance(10_000);
  await turn();

  expect(second.supervisor.get(id)?.status).toBe('failed');
  expect(second.news).toEqual([]);
  expect(second.files()).toEqual([]);
});

test('with one owner asked for the others stay', async () => {
  const { open } = openDirectory();
  const first = open();
  for (const owner of ['a', 'b']) first.supervisor.schedule({ message: 'Look.', after: 1_000, owner });
  first.crash();

  const second = open({ recover: { owner: 'b' } });
  const third = open({ recover: false });

  expect(second.supervisor.schedules()).toMatchObject([{ owner: 'b' }]);
  expect(third.supervisor.schedules()).toEqual([]);
  expect(second.files()).toHaveLength(2);
});

test('a file that is not a schedule stays and disturbs no other', async () => {
  const { open, path: directory } = openDirectory();
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const first = open();
  const { id } = first.supervisor.schedule({ message: 'Look.', after: 1_000 });
  const path = `${directory}/schedules/${id}.json`;
  const text = readFileSync(path, 'utf8');
  writeFileSync(`${directory}/schedules/half.json`, text.slice(0, 40));
  writeFileSync(`${directory}/schedules/other.json`, text);
  writeFileSync(`${directory}/schedules/busy.json`, text.replace('null', '5').replaceAll(id, 'busy'));
  first.crash();

  const second = open();

  expect(second.supervisor.schedules()).toMatchObject([{ id }]);
  expect(second.supervisor.recovered.damaged).toHaveLength(3);
  for (const name of ['half', 'other', 'busy'])
    expect(existsSync(`${directory}/schedules/${name}.json`)).toBe(true);
  expect(warn).toHaveBeenCalled();
  warn.mockRestore();
});

test.for([
  { everyMs: 1e308, nextAt: -1e308 },
  { nextAt: -1e300 },
  { nextAt: 8.64e15 + 2 },
  { nextAt: 0.5 },
  { createdAt: 1e300 },
  { told: -5 },
  { told: 0.5 },
  { everyMs: 999 },
  { everyMs: 1_000.0000001 },
  { everyMs: 1e12 },
])('a file with %j is no schedule', (wrong) => {
  const { open, path: directory } = openDirectory();
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const first = open();
  const { id } = first.supervisor.schedule({ message: 'Look.', every: 1_000 });
  const path = `${directory}/schedules/${id}.json`;
  const record = JSON.parse(readFileSync(path, 'utf8'));
  first.crash();
  writeFileSync(path, JSON.stringify({ ...record, schedule: { ...record.schedule, ...wrong } }));

  const second = open();
  second.listen();
  second.clock.advance(5_000);

  expect(second.news).toEqual([]);
  expect(second.supervisor.recovered.damaged).toMatchObject([{ name: path }]);
  expect(warn).toHaveBeenCalled();
  warn.mockRestore();
});

test('a beat between two milliseconds comes back', () => {
  const { open } = openDirectory();
  const first = open();
  const { id } = first.supervisor.schedule({ message: 'Look.', every: 1_000.4 });
  first.crash();

  const second = open();

  expect(second.supervisor.schedules()).toMatchObject([{ id, everyMs: 1_000 }]);
});

test('a schedule that cannot be saved is refused', async () => {
  const { open, path: directory } = openDirectory();
  const { supervisor } = open();
  writeFileSync(`${directory}/schedules`, 'in the way');

  expect(() => supervisor.schedule({ message: 'Look.', after: 1_000 })).toThrow(
    expect.objectContaining({ code: 'state-directory', message: expect.stringContaining('schedules') }),
  );
  expect(supervisor.schedules()).toEqual([]);
});

test('the watches of a process come back with it', async () => {
  const { open } = openDirectory();
  const first = open();
  first.listen();
  const { id } = first.supervisor.start(persistent);
  first.supervisor.watch(id, { quiet: 2_000, owner: 'a' });
  first.supervisor.watch(id, { pattern: 'ready', owner: 'b' });
  first.supervisor.watch(id, { quiet: 500, owner: 'c' });
  first.clock.advance(1_900);
  first.supervisor.unwatch(id, { owner: 'c' });
  first.clock.advance(50);
  first.crash();

  const second = open({ laterMs: 60_000 });
  second.listen();
  second.clock.advance(1_999);
  expect(second.news).toEqual([]);
  second.clock.advance(1);

  expect(second.news).toMatchObject([{ type: 'watch.quiet', owner: 'a', process: { id } }]);
  expect(second.supervisor.watches()).toMatchObject([
    { owner: 'a', wants: { quietMs: 2_000 }, told: 1 },
    { owner: 'b', wants: { pattern: 'ready' }, told: 0 },
  ]);
});

test('output printed between two supervisors is reported', async () => {
  const { open, path: directory } = openDirectory();
  const first = open();
  first.listen();
  const { id } = first.supervisor.start(persistent);
  const { logFile } = first.supervisor.get(id)?.view().output ?? {};
  const path = logFile ?? `${directory}/logs/${id}.log`;
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, 'ERROR 1\n');
  first.supervisor.watch(id, { pattern: 'ERROR', owner: 'a' });
  appendFileSync(path, 'ERROR 2\nfine\nERR');
  await untilTold(first, 1);
  first.clock.advance(50);
  first.crash();
  appendFileSync(path, 'OR 3\nERROR 4\n');

  const second = open({ laterMs: 60_000 });
  second.listen();
  await untilTold(second, 1);

  expect(first.news).toMatchObject([{ type: 'watch.matched', matches: 1, lines: ['ERROR 2'] }]);
  expect(second.news).toMatchObject([{ matches: 2, lines: ['ERROR 3', 'ERROR 4'], owner: 'a' }]);
  expect(second.supervisor.watches()).toEqual([
    {
      processId: id,
      owner: 'a',
      wants: { type: 'pattern', pattern: 'ERROR' },
      since: expect.any(Number),
      told: 2,
    },
  ]);
});

test('a watch that is not kept goes with its supervisor', async () => {
  const { open } = openDirectory();
  const first = open();
  const { id } = first.supervisor.start(persistent);
  first.supervisor.watch(id, { quiet: 2_000, owner: 'a' });
  first.supervisor.watch(id, { quiet: 2_000, owner: 'b', kept: false });
  first.clock.advance(2_000);
  await turn();
  expect(first.supervisor.watches()).toMatchObject([
    { owner: 'a', told: 1 },
    { owner: 'b', told: 1 },
  ]);
  first.crash();

  const second = open({ laterMs: 60_000 });

  expect(second.supervisor.watches()).toMatchObject([{ owner: 'a' }]);
});

test('an orderly shutdown leaves watches to the next', async () => {
  const { open } = openDirectory();
  const first = open();
  const { id } = first.supervisor.start(persistent);
  first.supervisor.watch(id, { quiet: 2_000 });
  await first.supervisor.shutdown();
  expect(first.supervisor.watches()).toEqual([]);
  first.crash();

  const second = open();

  expect(second.supervisor.watches()).toMatchObject([{ processId: id }]);
});

test('a schedule alone makes a supervisor reachable', { timeout: 60_000 }, async () => {
  using place = tempDir();
  const supervisor = createReachableSupervisor({ stateDirectory: place.path, handleSignals: false });
  const entry = `${place.path}/supervisors/${supervisor.id}.json`;

  supervisor.schedule({ message: 'Look.', after: '1d' });
  await waitUntil(() => existsSync(entry) && JSON.parse(readFileSync(entry, 'utf8')).socket !== null);
  await supervisor.shutdown();

  expect(existsSync(entry)).toBe(false);
});
