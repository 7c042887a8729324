import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import type { WatchNews } from '../../src/watches/watch.ts';
import { openControlStage, untilListening } from '../control/arrange.ts';
import { tempDir, waitUntil } from '../support/os.ts';

test('a watch tells its client until the process has ended', async () => {
  await using stage = await openControlStage();
  const { state, supervisor } = stage;
  const cat = supervisor.start({ command: ['cat'], background: true, stdin: 'pipe' });
  const news: WatchNews[] = [];
  const watching = (async () => {
    for await (const each of state.watch(cat.id, { pattern: 'tea' })) news.push(each);
  })();
  await waitUntil(() => supervisor.watches().length === 1);

  await cat.write('milk\nte');
  await cat.write('a\n');
  await waitUntil(() => news.length === 1);
  await cat.endInput();
  await watching;

  expect(news).toMatchObject([{ type: 'watch.matched', lines: ['tea'], process: { id: cat.id } }]);
  expect(supervisor.watches()).toEqual([]);
});

test('watches of several clients do not replace each other, and each goes with its client', async () => {
  await using stage = await openControlStage();
  const { state, supervisor, idle } = stage;
  supervisor.watch(idle.id, { quiet: '1h' });
  const leaving = new AbortController();
  const watch = async (signal?: AbortSignal) => {
    for await (const news of state.watch(idle.id, { quiet: 100, ...(signal && { signal }) })) return news;
    return null;
  };

  const left = watch(leaving.signal).catch(() => 'left');
  const told = await watch();
  leaving.abort();
  await left;

  expect(told).toMatchObject({ type: 'watch.quiet', quietMs: 100 });
  await waitUntil(() => supervisor.watches().length === 1, { what: 'only the owner’s watch is there' });
  expect(await state.watches({ process: idle.id })).toMatchObject([{ owner: idle.view().owner }]);
  expect(await state.unwatch(idle.id)).toBe(true);
  expect(await state.unwatch(idle.id)).toBe(false);
});

test('the watch of a client is not recorded', async () => {
  await using stage = await openControlStage();
  const { state, supervisor, stateDirectory: directory } = stage;
  const command: [string, ...string[]] = ['sleep', '1000'];
  const sleep = supervisor.start({ command, background: true, lifetime: 'persistent' });
  const leaving = new AbortController();
  const watching = state
    .watch(sleep.id, { quiet: '1h', signal: leaving.signal })
    [Symbol.asyncIterator]()
    .next()
    .catch(() => 'left');
  await waitUntil(() => supervisor.watches().length === 1);

  supervisor.watch(sleep.id, { quiet: '1h', owner: 'a' });
  const readOwners = (): string[] => {
    const { revival } = JSON.parse(readFileSync(`${directory}/processes/${sleep.id}.json`, 'utf8'));
    return (revival.watches ?? []).map(({ owner }: { owner: string }) => owner);
  };
  await waitUntil(() => readOwners().includes('a'), { what: 'the watch of the owner is written down' });
  const owners = readOwners();
  leaving.abort();
  await watching;
  await sleep.kill();

  expect(owners).toEqual(['a']);
});

test('an invalid expression is refused with an explanation', async () => {
  await using stage = await openControlStage();

  const watching = stage.state.watch(stage.idle.id, { pattern: '(' })[Symbol.asyncIterator]().next();

  await expect(watching).rejects.toMatchObject({ code: 'invalid-option' });
  expect(stage.supervisor.watches()).toEqual([]);
});

test('a watch that fails is reported once', async () => {
  await using stage = await openControlStage();
  const { state, supervisor } = stage;
  const cat = supervisor.start({ command: ['cat'], background: true, stdin: 'pipe' });
  const news: WatchNews[] = [];
  const watching = (async () => {
    for await (const each of state.watch(cat.id, { pattern: '(a+)+$' })) news.push(each);
  })();
  await waitUntil(() => supervisor.watches().length === 1);

  await cat.write(`${'a'.repeat(40)}!\n`);
  await watching;

  expect(news).toMatchObject([{ type: 'watch.failed', why: expect.stringContaining('takes too long') }]);
  expect(supervisor.watches()).toEqual([]);
});

test('a watch that is cancelled elsewhere ends', async () => {
  await using stage = await openControlStage();
  const { state, supervisor, idle } = stage;
  const news: WatchNews[] = [];
  const watching = (async () => {
    for await (const each of state.watch(idle.id, { quiet: '1h' })) news.push(each);
  })();
  const watch = await waitUntil(() => supervisor.watches()[0]);

  const isTaken = await state.unwatch(idle.id, { owner: watch.owner });
  await watching;

  expect(isTaken).toBe(true);
  expect(news).toMatchObject([{ type: 'watch.failed', why: 'it was withdrawn' }]);
});

test('a new schedule says whether its owner listens', async () => {
  await using stage = await openControlStage();
  const { state, supervisor } = stage;
  const listening = supervisor.newsOf('reviewer').subscribe(() => {});

  const heard = await state.schedule({ message: 'Look.', after: '1h', owner: 'reviewer' });
  const unheard = await state.schedule({ message: 'Look.', after: '1h', owner: 'reviewr' });

  expect([heard.isHeard, unheard.isHeard]).toEqual([true, false]);
  listening.unsubscribe();
});

test('a schedule without a supervisor is listed and can be cancelled', async () => {
  using place = tempDir();
  mkdirSync(place.file('schedules'));
  const schedule = {
    ...{ id: 'lone2222', owner: 'user', message: 'Look.', everyMs: null, nextAt: 5 },
    ...{ processId: null, createdAt: 1, told: 0 },
  };
  const record = { version: 1, supervisorId: 'sup_dead2222', schedule };
  writeFileSync(place.file('schedules/lone2222.json'), JSON.stringify(record));
  const state = openStateDirectory({ directory: place.path });

  const listed = await state.schedules();
  const others = await state.schedules({ owner: 'other' });
  const cancelled = [await state.unschedule('lone2222'), await state.unschedule('lone2222')];

  const kept = { supervisorId: 'sup_dead2222', answered: false, keeper: 'dead' };
  expect(listed).toEqual({ schedules: [{ ...schedule, ...kept }], warnings: [] });
  expect(others.schedules).toEqual([]);
  expect(cancelled).toEqual([true, false]);
});

test('a schedule is kept by the supervisor of its process', async () => {
  await using stage = await openControlStage();
  const { state, supervisor, idle } = stage;
  const other = createReachableSupervisor({ cwd: supervisor.cwd, stateDirectory: stage.stateDirectory });
  await using _ = other;
  const own = other.start({ command: ['sleep', '1000'], background: true });
  await untilListening(stage.stateDirectory, other.id);

  const added = await state.schedule({ message: 'Look.', every: '1h', process: own.id });
  const named = await state.schedule({ message: 'Once.', after: '30m', supervisorId: supervisor.id });
  const unclear = state.schedule({ message: 'Whose?', after: '1m' });

  await expect(unclear).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining(other.id),
  });
  expect(added).toMatchObject({ supervisorId: other.id, processId: own.id, everyMs: 3_600_000 });
  expect((await state.schedules()).schedules.map(({ id }) => id)).toEqual([named.id, added.id]);
  expect([await state.unschedule(added.id), await state.unschedule(added.id)]).toEqual([true, false]);
  expect((await state.schedules()).schedules).toMatchObject([{ id: named.id, supervisorId: supervisor.id }]);
  await idle.kill();
});
