import { expect, test } from 'vitest';
import { findMembers } from '../../../src/spawn/tree/find-members.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { entry, leaderIdentity } from './entries.ts';

function membersAmong(
  entries: readonly ProcessEntry[],
  { carriers = [], known = [], groupIsOurs = false, identity = leaderIdentity } = {} as {
    carriers?: readonly number[];
    known?: readonly number[];
    groupIsOurs?: boolean;
    identity?: typeof leaderIdentity;
  },
): { pids: readonly number[]; groups: readonly number[] } {
  const found = findMembers({
    identity,
    entries,
    carriers: entries.filter(({ pid }) => carriers.includes(pid)),
    known: entries.filter(({ pid }) => known.includes(pid)),
    groupIsOurs,
  });
  return { pids: found.members.map(({ pid }) => pid).sort(), groups: [...found.groups].sort() };
}

test('group and session belong to the tree', () => {
  const entries = [entry(100), entry(101), entry(102, { pgid: 102 }), entry(900, { pgid: 900, sid: 900 })];

  expect(membersAmong(entries)).toEqual({ pids: [100, 101, 102], groups: [100, 102] });
});

test('a carrier brings its session, its group and its children', () => {
  const entries = [
    entry(201, { pgid: 200, sid: 200 }),
    entry(202, { pgid: 202, sid: 200 }),
    entry(203, { ppid: 201, pgid: 203, sid: 203 }),
    entry(900, { pgid: 900, sid: 900 }),
  ];

  expect(membersAmong(entries, { carriers: [201] }).pids).toEqual([201, 202, 203]);
});

test('a carrier in a foreign session brings only itself', () => {
  const entries = [entry(900, { pgid: 900, sid: 900 }), entry(201, { pgid: 900, sid: 900 })];

  expect(membersAmong(entries, { carriers: [201] })).toEqual({ pids: [201], groups: [] });
});

test('a pgid that may be reused proves nothing', () => {
  const entries = [entry(101), entry(102)];

  expect(membersAmong(entries).pids).toEqual([]);
  expect(membersAmong(entries, { groupIsOurs: true }).pids).toEqual([101, 102]);
  expect(membersAmong(entries, { known: [102] }).pids).toEqual([101, 102]);
});

test('a leader that shares a session does not own it', () => {
  const identity = { ...leaderIdentity, sid: 50 };
  const entries = [entry(100, { sid: 50 }), entry(101, { sid: 50 }), entry(900, { pgid: 900, sid: 50 })];

  expect(membersAmong(entries, { identity }).pids).toEqual([100, 101]);
});

test("a foreign process with the leader's pid is no member", () => {
  const entries = [entry(100, { startedAt: 'later' }), entry(101)];

  expect(membersAmong(entries).pids).toEqual([]);
});
