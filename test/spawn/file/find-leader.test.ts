import { describe, expect, test } from 'vitest';
import {
  findLauncher,
  findLeader,
  findRecordedLeader,
  hasLiveCarrier,
  withoutLauncher,
} from '../../../src/spawn/file/find-leader.ts';
import { parseStatus } from '../../../src/spawn/file/status-file.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { createFakeTable, entry, leaderIdentity } from '../tree/entries.ts';

const status = (text: string) => parseStatus(text, { attempt: 1, known: null });
const launched = status('launcher 1 90\nleader 1 100\n');
const begun = status('launcher 1 90\nleader 1 100\nbegan 1 100 start-100\n');
const table = (entries: readonly ProcessEntry[], carriers: readonly number[] = []) =>
  createFakeTable({ entries: [...entries], carriers: [...carriers] });
const at = (entries: readonly ProcessEntry[], carriers: readonly number[] = []) => ({
  ...{ table: table(entries, carriers), id: 'tool_a' },
});
const leader = entry(100, { ppid: 90 });

describe('the leader of a status file', () => {
  test.each([
    ['a child of the launcher', launched, at([leader]), leader],
    ['a carrier of the cookie', launched, at([entry(100)], [100]), entry(100)],
    ['a process with the recorded start time', begun, at([entry(100)]), entry(100)],
  ])('is %s', async (_, from, deps, found) => {
    expect(await findLeader(from, deps)).toEqual(found);
  });

  test.each([
    ['is named nowhere', status(''), at([leader])],
    ['is gone', launched, at([])],
    ['is a zombie', launched, at([{ ...leader, alive: false }])],
    ['is foreign', launched, at([entry(100, { ppid: 1 })])],
    ['has another start time', begun, at([{ ...leader, startedAt: 'later' }], [100])],
  ])('is not found where it %s', async (_, from, deps) => {
    expect(await findLeader(from, deps)).toBeNull();
  });
});

describe('the launcher', () => {
  test('is found where it carries the cookie', async () => {
    expect(await findLauncher(launched, at([entry(90)], [90]))).toEqual(entry(90));
  });

  test.each([
    ['is named nowhere', status(''), at([entry(90)], [90])],
    ['is gone', launched, at([])],
    ['is a zombie', launched, at([entry(90, { alive: false })], [90])],
    ['carries no cookie', launched, at([entry(90)])],
  ])('is not found where it %s', async (_, from, deps) => {
    expect(await findLauncher(from, deps)).toBeNull();
  });

  test('is hidden with what it starts beside the leader', async () => {
    const entries = [entry(90), entry(91, { ppid: 90 }), entry(100)];

    const hidden = withoutLauncher(table(entries), 90);

    expect((await hidden.list()).map(({ pid }) => pid)).toEqual([100]);
    expect((await hidden.listSince(entry(5), () => false)).map(({ pid }) => pid)).toEqual([100]);
  });

  test('hides nothing where it is unknown', async () => {
    const whole = table([entry(90)]);

    expect(withoutLauncher(whole, null)).toBe(whole);
  });
});

describe('the leader of a record', () => {
  const scoped = (entries: readonly ProcessEntry[], carriers: readonly number[]) => ({
    id: 'tool_a',
    table: {
      ...table(entries, carriers),
      scope: async () => ({ bootId: leaderIdentity.bootId, pidNamespace: leaderIdentity.pidNamespace }),
    },
  });

  test('is known with the launcher above it', async () => {
    const found = await findRecordedLeader(leaderIdentity, scoped([leader, entry(90)], [90]));

    expect(found).toEqual({ launcher: 90, leader: { pid: 100, startedAt: 'start-100' } });
  });

  test.each([
    ['its parent carries no cookie', [leader, entry(90)], []],
    ['its parent is gone', [leader], [90]],
  ])('has no launcher where %s', async (_, entries, carriers) => {
    const found = await findRecordedLeader(leaderIdentity, scoped(entries, carriers));

    expect(found).toEqual({ launcher: null, leader: { pid: 100, startedAt: 'start-100' } });
  });

  test.each([
    ['gone', leaderIdentity, []],
    ['dead', leaderIdentity, [{ ...leader, alive: false }]],
    ['another process', leaderIdentity, [{ ...leader, startedAt: 'later' }]],
    ['of another boot', { ...leaderIdentity, bootId: 'other' }, [leader]],
    ['of another namespace', { ...leaderIdentity, pidNamespace: 'other' }, [leader]],
  ])('is unknown where it is %s', async (_, identity, entries) => {
    expect(await findRecordedLeader(identity, scoped(entries, [90]))).toBeNull();
  });
});

test('a carrier anywhere counts', async () => {
  expect(await hasLiveCarrier(table([entry(7)], [7]), 'tool_a')).toBe(true);
  expect(await hasLiveCarrier(table([entry(7)], [8]), 'tool_a')).toBe(false);
});
