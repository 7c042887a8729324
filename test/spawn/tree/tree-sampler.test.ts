import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import type { ProcessEntry, ProcessTable } from '../../../src/spawn/tree/process-table.ts';
import { createProcessTree } from '../../../src/spawn/tree/process-tree.ts';
import { createTreeSampler } from '../../../src/spawn/tree/tree-sampler.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { commandOf, endAll, isAlive, stateOf, waitUntil } from '../../support/os.ts';
import { createFakeTable, entry, leaderIdentity } from './entries.ts';
import { createTrees } from './start-tree.ts';

const outside = { pgid: 200, sid: 200 };
const child = entry(200, { ppid: 100, ...outside });
const orphan = entry(200, { ppid: 1, ...outside });

/** A tree on a table that is played; a search finds only what has a tie to the leader. */
function arrange({ carriers = [] as number[], foreign = [] as number[] } = {}) {
  const content = { entries: [entry(100)], carriers };
  const clock = createVirtualClock();
  const table: ProcessTable = {
    ...createFakeTable(content),
    filterForeign: async (_, entries) => entries.filter(({ pid }) => foreign.includes(pid)),
  };
  const tree = createProcessTree({ identity: leaderIdentity, table, clock });
  const sample = async (...entries: ProcessEntry[]) => (await tree.sample(entries)).map(({ pid }) => pid);
  const survey = async (...entries: ProcessEntry[]) => {
    content.entries = [entry(100), ...entries];
    return (await tree.survey()).map(({ pid }) => pid);
  };
  return { content, carriers, foreign, tree, sample, survey };
}

test('an orphan that was never sampled is not a member', async () => {
  expect(await arrange().survey(orphan)).toEqual([]);
});

test('a child that was sampled is a member after it has lost its parent', async () => {
  const { sample, survey } = arrange();

  expect(await sample(child)).toEqual([200]);
  expect(await survey(orphan)).toEqual([200]);
});

test('a grandchild is sampled together with its parent', async () => {
  const { content, sample, survey } = arrange();
  const grandchild = entry(300, { ppid: 200, pgid: 300, sid: 300 });
  content.entries = [entry(100), child];

  expect(await sample(child, grandchild)).toEqual([200, 300]);
  expect(await survey({ ...grandchild, ppid: 1 })).toEqual([300]);
});

test('a child of another process with the pid of a member is foreign', async () => {
  const { content, sample, survey } = arrange();
  content.entries = [entry(100, { startedAt: 'later' })];

  expect(await sample(child)).toEqual([]);
  expect(await survey(orphan)).toEqual([]);
});

test('a child with the mark of the tree is left to its mark, until it has lost it', async () => {
  const { carriers, sample } = arrange({ carriers: [200] });

  expect(await sample(child)).toEqual([]);
  carriers.pop();
  expect(await sample(orphan)).toEqual([200]);
});

test('a child in the group of another process is left to that group', async () => {
  const { sample, survey } = arrange();

  expect(await sample(entry(200, { ppid: 100 }))).toEqual([]);
  expect(await survey(entry(200, { ppid: 1 }))).toEqual([200]);
});

test('a child that takes the mark of no ancestor leaves the tree', async () => {
  const { foreign, sample, survey } = arrange();
  await sample(child);
  foreign.push(200);

  expect(await sample(child)).toEqual([]);
  expect(await survey(child)).toEqual([]);
});

test('a child in the session of the leader is a member with any mark', async () => {
  const { sample, survey } = arrange({ foreign: [200] });
  const near = entry(200, { ppid: 100, pgid: 200 });

  expect(await sample(near)).toEqual([200]);
  expect(await survey({ ...near, ppid: 1 })).toEqual([200]);
});

test('dead members are forgotten, however many are sampled', async () => {
  const { tree, content } = arrange();
  for (let pid = 1_000; pid < 1_500; pid += 1) {
    const short = entry(pid, { ppid: 100, pgid: pid, sid: pid });
    content.entries = [entry(100), short];
    await tree.sample([short]);
  }
  content.entries = [entry(100)];

  expect(await tree.survey()).toEqual([]);
});

/** Moves the time forward by the pause before the next sample, `times` times. */
async function passSamples(clock: VirtualClock, times: number): Promise<void> {
  for (let left = times; left > 0; left -= 1) {
    clock.advance(100);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  }
}

/** A sampler on a machine whose newborn processes are played. */
function arrangeSampler() {
  const born: number[] = [];
  const asked: (number | null)[] = [];
  const clock = createVirtualClock();
  const errors: unknown[] = [];
  const listNewborn = async (after: number | null) => {
    asked.push(after);
    const entries = after === null ? [] : born.filter((pid) => pid > after).map((pid) => entry(pid));
    return { last: born.at(-1) ?? 0, entries };
  };
  const table = { ...createFakeTable({ entries: [], carriers: [] }), listNewborn };
  const sampler = createTreeSampler({ table, clock, reportError: (error) => errors.push(error) });
  const pass = (times = 1) => passSamples(clock, times);
  const given: (readonly number[] | null)[] = [];
  const told: number[] = [];
  const add = (sample?: () => Promise<readonly ProcessEntry[]>) =>
    sampler.add(
      {
        sample: async (entries) => {
          given.push(entries?.map(({ pid }) => pid) ?? null);
          return (await sample?.()) ?? entries ?? [];
        },
      },
      (unmarked) => void told.push(...unmarked.map(({ pid }) => pid)),
    );
  return { born, asked, errors, pass, add, given, told };
}

test('a tree is searched twice, and gets each newborn process twice', async () => {
  const { born, pass, add, given, told } = arrangeSampler();
  add();

  await pass(3);
  born.push(501);
  await pass();
  born.push(502);
  await pass(4);

  expect(given).toEqual([null, null, [501], [501, 502], [502]]);
  expect(told).toEqual([501, 501, 502, 502]);
});

test('a child that detaches after the first sample is told', async () => {
  const { carriers, content, tree } = arrange({ carriers: [200] });
  const clock = createVirtualClock();
  const table = {
    ...createFakeTable(content),
    listNewborn: async () => ({ last: 200, entries: [] }),
  };
  const sampler = createTreeSampler({ table, clock, reportError: (error) => expect.fail(String(error)) });
  const told: number[] = [];
  // As a fork of the leader, before it executes `env -i setsid`.
  content.entries = [entry(100), entry(200, { ppid: 100 })];
  sampler.add(tree, (unmarked) => void told.push(...unmarked.map(({ pid }) => pid)));
  await passSamples(clock, 1);

  carriers.pop();
  content.entries = [entry(100), child];
  await passSamples(clock, 3);

  expect(told).toEqual([200]);
});

test('an old tree is sampled every second, and a new one at once', async () => {
  const { asked, pass, add } = arrangeSampler();
  add();
  await pass(200);
  const samplesBefore = asked.length;

  await pass(50);
  const ofOld = asked.length - samplesBefore;
  add();
  await pass();

  expect(ofOld).toBe(5);
  expect(asked.length).toBe(samplesBefore + 6);
});

test('no process is looked for without a tree', async () => {
  const { asked, pass, add } = arrangeSampler();
  const remove = add();
  await pass(2);
  remove();
  await pass();
  const before = asked.length;

  await pass(5);
  add();
  await pass();

  // What began meanwhile is found by the search for members of the new tree.
  expect(asked.slice(before)).toEqual([null]);
});

test('a failed sample is reported, and the next one follows', async () => {
  const { born, errors, pass, add, given } = arrangeSampler();
  add(() => Promise.reject(new Error('too many open files')));

  await pass(2);
  born.push(501);
  await pass();

  expect(errors.map(String)).toContain('Error: too many open files');
  expect(given.length).toBeGreaterThan(1);
});

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  const trees = createTrees();
  afterAll(trees.end);

  test('a descendant that was sampled is ended with its tree, without session, environment and parent', async () => {
    const script = `(env -i KEY=1 setsid sleep 1000 & echo $! >"$0"; wait) & wait`;
    const { tree, identity } = await trees.start(['sh', '-c', script, trees.file('pid')]);
    const table = createCurrentTable();
    const sampler = createTreeSampler({
      ...{ table, clock: createRealClock() },
      reportError: (error) => {
        throw error;
      },
    });
    const unmarked: ProcessEntry[] = [];
    const stop = sampler.add(tree, (entries) => void unmarked.push(...entries));
    onTestFinished(async () => {
      stop();
      await endAll(unmarked.map(({ pid }) => pid));
    });
    const { pid, ppid } = await waitUntil(() => unmarked.find(({ pid }) => commandOf(pid)[0] === 'sleep'), {
      what: 'the program is sampled',
    });
    process.kill(ppid, 'SIGKILL');
    await waitUntil(() => !isAlive(ppid) && stateOf(pid) !== null);

    const members = await tree.survey();
    const gone = new Promise<void>((resolve) => {
      tree.watch({ onAliveChanged: () => {}, onGone: () => resolve() });
    });
    await tree.end('SIGKILL');
    await gone;

    expect((await table.filterCarriers(identity.cookie, unmarked)).map((each) => each.pid)).toEqual([]);
    expect(members.map((each) => each.pid)).toContain(pid);
    expect(isAlive(pid)).toBe(false);
  });
});
