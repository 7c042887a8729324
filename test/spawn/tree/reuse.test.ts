import { expect, test } from 'vitest';
import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { Clock } from '../../../src/clock/clock.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { createProcessTree, type ProcessTree } from '../../../src/spawn/tree/process-tree.ts';
import { createFakeTable, entry, leaderIdentity } from './entries.ts';

function createFakeTree(
  content: { entries: ProcessEntry[]; carriers: number[] },
  identity = leaderIdentity,
  /** Called between the lookup and the signal. */
  afterLook = (): void => {},
): { tree: ProcessTree; sent: [number, ProcessSignal][]; clock: { ms: number } } {
  const sent: [number, ProcessSignal][] = [];
  const time = { ms: 0 };
  const clock: Clock = { nowMs: () => time.ms, epochMs: () => 0, at: () => () => {} };
  const table = createFakeTable(content);
  const tree = createProcessTree({
    identity,
    table: {
      ...table,
      filterCarriers: async (cookie, entries) => {
        const found = await table.filterCarriers(cookie, entries);
        afterLook();
        return found;
      },
    },
    clock,
    send: (target, signal) => {
      if (signal !== 0) sent.push([target, signal]);
    },
  });
  return { tree, sent, clock: time };
}

test('a reused pid gets no signal', async () => {
  const stranger = entry(100, { startedAt: 'later' });
  const { tree, sent } = createFakeTree({ entries: [stranger, entry(101)], carriers: [] });

  await tree.end('SIGKILL');

  expect(sent).toEqual([]);
});

test('a group that may have been reused gets no signal', async () => {
  const content = { entries: [entry(100)], carriers: [] };
  const { tree, sent, clock } = createFakeTree(content);
  tree.leaderExited();
  clock.ms += 60_000;
  content.entries = [entry(555)];

  await tree.end('SIGKILL');

  expect(sent).toEqual([]);
});

test('a group counts as ours for a while after its leader was collected', async () => {
  const content = { entries: [entry(100)], carriers: [] };
  const { tree, sent, clock } = createFakeTree(content);
  tree.leaderExited();
  // Other processes run before its members can be read.
  clock.ms += 500;
  content.entries = [entry(555)];

  await tree.end('SIGKILL');

  expect(sent).toEqual([[-100, 'SIGKILL']]);
});

test('a collected leader gets no signal by its pid', async () => {
  const { tree, sent } = createFakeTree({
    entries: [entry(100), entry(200, { pgid: 200 })],
    carriers: [200],
  });
  tree.leaderExited();

  await tree.end('SIGTERM');

  expect(sent).toEqual([[-200, 'SIGTERM']]);
});

test('a member replaced during a lookup gets no signal', async () => {
  const stranger = entry(900, { pgid: 900, sid: 900 });
  const content = { entries: [entry(100), entry(300, { pgid: 900, sid: 900 }), stranger], carriers: [300] };
  const { tree, sent } = createFakeTree(content, leaderIdentity, () => {
    content.entries = [entry(100), entry(300, { startedAt: 'later', pgid: 900, sid: 900 }), stranger];
  });

  await tree.end('SIGTERM');

  expect(sent).toEqual([[-100, 'SIGTERM']]);
});

test.each([0, 1, -1])('group %d is refused but its member is signalled', async (pgid) => {
  const content = { entries: [entry(100, { pgid })], carriers: [] };
  const { tree, sent } = createFakeTree(content, { ...leaderIdentity, pgid });

  await tree.end('SIGTERM');

  expect(sent).toEqual([[100, 'SIGTERM']]);
});

test('a signal never reaches this program and its group', async () => {
  const ours = { pgid: 77, sid: 77 };
  const content = {
    entries: [entry(process.pid, ours), entry(100, ours), entry(77, ours)],
    carriers: [process.pid, 100, 77],
  };
  const { tree, sent } = createFakeTree(content, { ...leaderIdentity, ...ours });

  await tree.end('SIGKILL');

  expect(sent).toEqual([[100, 'SIGKILL']]);
});

test('SIGCONT goes to halted members only', async () => {
  const content = { entries: [entry(100), entry(101, { stopped: true })], carriers: [] };
  const { tree, sent } = createFakeTree(content);

  await tree.end('SIGTERM');

  expect(sent).toEqual([
    [-100, 'SIGTERM'],
    [101, 'SIGCONT'],
  ]);
});

test('an unreadable process table is reported and no signal is sent', async () => {
  const table = createFakeTable({ entries: [], carriers: [] });
  const errors: unknown[] = [];
  const tree = createProcessTree({
    identity: leaderIdentity,
    table: { ...table, listSince: async () => Promise.reject(new Error('no ps')) },
    clock: { nowMs: () => 0, epochMs: () => 0, at: () => () => {} },
    reportError: (error) => errors.push(error),
  });

  await tree.end('SIGTERM');

  expect(await tree.survey()).toEqual([]);
  expect(errors).toHaveLength(2);
});
