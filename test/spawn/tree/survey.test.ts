import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SentSignal } from '../../../machines/process/context.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { createProcessTree } from '../../../src/spawn/tree/process-tree.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { createFakeTable, entry, leaderIdentity } from './entries.ts';

/** A tree on a table that is played, with the number of searches for new members. */
function arrange(entries: ProcessEntry[], { carriers = [] as number[], untraceable = [] as number[] } = {}) {
  const content = { entries, carriers };
  const clock = createVirtualClock();
  const table = createFakeTable(content);
  const sent: (readonly [number, unknown])[] = [];
  const errors: string[] = [];
  const state = { searches: 0, breaks: false };
  const tree = createProcessTree({
    identity: leaderIdentity,
    table: {
      ...table,
      listSince: async (...given) => {
        state.searches += 1;
        if (state.breaks) throw new Error('no ps');
        return table.listSince(...given);
      },
      filterUntraceable: async (given) => {
        if (state.breaks) throw new Error('no ps');
        return given.filter(({ pid }) => untraceable.includes(pid));
      },
    },
    clock,
    redact: (text) => text.replace('program', '[redacted]'),
    reportError: (error) => errors.push(String(error)),
    send: (target, signal) => {
      if (signal !== 0) sent.push([target, signal]);
    },
  });
  const turns = async () => {
    for (let left = 20; left > 0; left -= 1) await setImmediate();
  };
  return { tree, clock, content, sent, errors, state, turns };
}

const member = (pid: number, pgid = 100) => ({
  ...{ pid, pgid, startedAt: `start-${pid}`, command: `[redacted] ${pid}` },
});

test('a survey lists the members beside the leader, without secrets', async () => {
  const { tree } = arrange([entry(100), entry(101), entry(900, { pgid: 900, sid: 900 })]);

  expect(await tree.survey()).toEqual([member(101)]);
});

test('a dead member is none', async () => {
  const { tree } = arrange([entry(100), entry(101, { alive: false })]);

  expect(await tree.survey()).toEqual([]);
});

test('leftovers are searched for less and less often, up to a minute', async () => {
  const { tree, clock, state, content, turns } = arrange([entry(100), entry(101)]);
  tree.leaderExited();
  content.entries = [entry(101)];
  await turns();
  await tree.survey();
  const searchedAtMs: number[] = [];

  for (let second = 1; second <= 400; second += 1) {
    const before = state.searches;
    clock.advance(1_000);
    await tree.survey();
    if (state.searches > before) searchedAtMs.push(second);
  }

  expect(searchedAtMs).toEqual([2, 8, 16, 32, 64, 128, 192, 256, 320, 384]);
});

test('a dead leftover is searched for again at once', async () => {
  const { tree, state, content, turns } = arrange([entry(100), entry(101)]);
  tree.leaderExited();
  content.entries = [entry(101)];
  await turns();
  await tree.survey();
  const before = state.searches;

  await tree.survey();
  expect(state.searches).toBe(before);
  content.entries = [];
  expect(await tree.survey()).toEqual([]);

  expect(state.searches).toBe(before + 1);
});

test('members of a live leader are searched for each time', async () => {
  const { tree, state } = arrange([entry(100), entry(101)]);

  await tree.survey();
  await tree.survey();

  expect(state.searches).toBe(2);
});

test('an unreadable table leaves the members that are known', async () => {
  const { tree, state, errors } = arrange([entry(100), entry(101)]);
  await tree.survey();
  state.breaks = true;

  expect(await tree.survey()).toEqual([member(101)]);
  expect(await tree.suspects()).toEqual([]);
  expect(errors).toEqual(['Error: no ps', 'Error: no ps']);
});

test('suspects are younger processes without an origin, and are asked for once a search', async () => {
  const entries = [entry(100), entry(101), entry(900, { pgid: 900, sid: 900 })];
  const { tree, state } = arrange(entries, { untraceable: [101, 900] });
  await tree.survey();

  expect(await tree.suspects()).toEqual([member(900, 900)]);
  state.breaks = true;
  expect(await tree.suspects()).toEqual([member(900, 900)]);
});

test('a sample of the whole tree keeps no younger processes in memory', async () => {
  const { tree } = arrange([entry(100), entry(900, { pgid: 900, sid: 900 })], { untraceable: [900] });

  await tree.sample(null);

  expect(await tree.suspects()).toEqual([]);
});

test('a signal to the leader reaches it alone', async () => {
  const { tree, sent } = arrange([entry(100), entry(101)]);

  expect(await tree.signal('SIGUSR1', 'leader')).toEqual([
    { signal: 'SIGUSR1', via: 'process', pids: [100] },
  ]);
  expect(await tree.signal('SIGUSR1', 'tree')).toEqual([
    { signal: 'SIGUSR1', via: 'group', pids: [100, 101] },
  ]);
  expect(sent).toEqual([
    [100, 'SIGUSR1'],
    [-100, 'SIGUSR1'],
  ]);
});

test('a watch and an end that begin together share one search', async () => {
  const { tree, state } = arrange([entry(100), entry(101)]);

  tree.watch({ onAliveChanged: () => {}, onGone: () => {} });
  await tree.end('SIGTERM');

  expect(state.searches).toBe(1);
});

test('a watched end tells each new signal, and at the end who was signalled', async () => {
  const { tree, clock, content, sent, turns } = arrange([entry(100), entry(101)]);
  const told: SentSignal[] = [];
  const gone: unknown[] = [];
  tree.watch({
    onAliveChanged: () => {},
    onSent: (each) => told.push(each),
    onGone: (ended) => gone.push(ended),
  });

  await tree.end('SIGKILL');
  await turns();
  clock.advance(10_000);
  await turns();
  content.entries = [];
  for (let pass = 0; pass < 20; pass += 1) {
    clock.advance(100);
    await turns();
  }

  expect(told).toEqual([{ signal: 'SIGKILL', via: 'group', pids: [100, 101] }]);
  // A kill is repeated, to reach what was forked meanwhile, and told once.
  expect(sent.length).toBeGreaterThan(1);
  expect(gone).toEqual([[member(101)]]);
});

test('a member found after the order gets its signal, too', async () => {
  const { tree, clock, content, sent, turns } = arrange([entry(100), entry(101)]);
  tree.watch({ onAliveChanged: () => {}, onGone: () => {} });
  await tree.end('SIGTERM');
  await turns();

  content.entries = [entry(100), entry(101), entry(102, { pgid: 102 })];
  for (let pass = 0; pass < 20; pass += 1) {
    clock.advance(100);
    await turns();
  }

  expect(sent).toEqual([
    [-100, 'SIGTERM'],
    [102, 'SIGTERM'],
  ]);
});

test('a member keeps the command line of before it was ended', async () => {
  const { tree, content } = arrange([entry(100), entry(101)]);
  await tree.survey();
  await tree.end('SIGTERM');

  content.entries = [entry(100), entry(101, { command: '[gone]' })];

  expect(await tree.survey()).toEqual([member(101)]);
});
