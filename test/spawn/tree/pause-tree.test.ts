import { afterAll, expect, test } from 'vitest';
import type { SentSignal } from '../../../machines/process/context.ts';
import { createTreePause } from '../../../src/spawn/tree/pause-tree.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { carriers, isHalted, waitUntil } from '../../support/os.ts';
import { entry } from './entries.ts';
import { createTrees } from './start-tree.ts';

const trees = createTrees();
const unheard = () => {};
afterAll(trees.end);

const mark = (cookie: string) => carriers(cookie);

test('a pause halts a program that forks all the time, each time', async () => {
  const started = await trees.start(['sh', '-c', 'while :; do sleep 0.001; done']);
  const { cookie } = started.identity;

  for (let round = 0; round < 20; round += 1) {
    const paused = await started.tree.pause(unheard);
    const alive = mark(cookie);
    expect(paused).toMatchObject({ via: 'signals', running: [] });
    expect(alive.filter((pid) => !isHalted(pid))).toEqual([]);
    await started.tree.resume(unheard);
  }

  await started.tree.end('SIGKILL');
  await waitUntil(() => mark(cookie).length === 0);
});

test('a resume at the same moment overtakes a pause', async () => {
  const started = await trees.start(['sleep', '300']);

  const [paused, resumed] = await Promise.all([started.tree.pause(unheard), started.tree.resume(unheard)]);

  expect(paused).toBeNull();
  expect(resumed).not.toBeNull();
  await waitUntil(() => !isHalted(started.pid), { what: 'it runs' });
  await started.tree.end('SIGKILL');
});

test('two pauses at the same moment share their outcome', async () => {
  const started = await trees.start(['sleep', '300']);
  const sent: SentSignal[] = [];

  const pauses = [1, 2].map(() => started.tree.pause((each) => void sent.push(each)));
  const [first, second] = await Promise.all(pauses);

  expect(first).toMatchObject({ pids: [started.pid], running: [] });
  expect(second).toEqual(first);
  expect(sent).toEqual([{ signal: 'SIGSTOP', via: 'process', pids: [started.pid] }]);
  await started.tree.end('SIGKILL');
});

test('an end at the same moment overtakes a pause', async () => {
  const started = await trees.start(['sh', '-c', 'while :; do sleep 0.001; done']);

  const paused = started.tree.pause(unheard);
  await started.tree.end('SIGTERM');

  expect(await paused).toBeNull();
  await waitUntil(() => mark(started.identity.cookie).length === 0, { what: 'it has ended' });
});

test('a resume continues what another program has halted', async () => {
  const started = await trees.start(['sleep', '300']);
  process.kill(started.pid, 'SIGSTOP');
  await waitUntil(() => isHalted(started.pid));

  const resumed = await started.tree.resume(unheard);

  expect(resumed?.pids).toEqual([started.pid]);
  await waitUntil(() => !isHalted(started.pid));
  await started.tree.end('SIGKILL');
});

/** Pauses members that are played. */
function pauseOf(members: readonly ProcessEntry[], send: (pid: number) => void = () => {}) {
  const sent: SentSignal[] = [];
  const onSent = (each: SentSignal) => void sent.push(each);
  const clock = createVirtualClock();
  const pause = createTreePause({
    ...{ cgroup: null, clock },
    find: async () => ({ members, groups: new Set(), held: new Set(), unclaimed: [] }),
    table: { readAll: async () => members } as never,
    send: (pid) => send(pid),
  }).pause(onSent);
  const outcome = pause;
  const advance = async (ms: number) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 10) {
      await new Promise(setImmediate);
      clock.advance(10);
    }
  };
  const pass = () => advance(3_000);
  return { outcome, advance, pass, sent };
}

test('a member that does not halt is named after two seconds', async () => {
  const { outcome, pass } = pauseOf([entry(100, { stopped: true }), entry(101)]);

  await pass();

  expect(await outcome).toMatchObject({ pids: [100, 101], running: [101] });
});

test('a member in an uninterruptible call counts as halted', async () => {
  const { outcome, pass } = pauseOf([entry(100, { stopped: true }), entry(101, { blocked: true })]);

  await pass();

  expect(await outcome).toMatchObject({ pids: [100, 101], running: [] });
});

test('a member of another user is named and not awaited', async () => {
  const refuse = (pid: number) => {
    if (pid === 101) throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  };
  const { outcome, advance, sent } = pauseOf([entry(100, { stopped: true }), entry(101)], refuse);

  await advance(20);

  expect(await outcome).toMatchObject({ pids: [100], running: [101] });
  expect(sent).toEqual([]);
});
