import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import {
  endMembers,
  groupExists,
  isRefusedTarget,
  sendToMembers,
  toSent,
} from '../../../src/spawn/tree/send-signal.ts';
import { endAll, waitUntil } from '../../support/os.ts';
import { createFakeTable, entry } from './entries.ts';

const own = { pid: 500, pgid: 400, sid: 300 };

test.each([0, 1, -1, -7, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('pid %d is never signalled', (id) => {
  expect(isRefusedTarget(id, own)).toBe(true);
});

test('a signal never reaches this program', () => {
  expect([500, 400, 300].map((id) => isRefusedTarget(id, own))).toEqual([true, true, true]);
});

test('other pids and groups are signalled', () => {
  expect(isRefusedTarget(501, own)).toBe(false);
});

/** A kill(2) that notes what it is told, and fails for these targets with a code. */
function createSend(failures: Readonly<Record<number, string>> = {}) {
  const sent: (readonly [number, ProcessSignal | 0])[] = [];
  const send = (target: number, signal: ProcessSignal | 0) => {
    sent.push([target, signal]);
    const code = failures[target];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  return { sent, send };
}

/** Request to signal the entries with these pids, of which the table has those of `now`. */
function requestFor(
  targets: readonly ProcessEntry[],
  { now = targets, groups = [] as readonly number[], failures = {} as Readonly<Record<number, string>> } = {},
) {
  const { sent, send } = createSend(failures);
  const table = createFakeTable({ entries: [...now], carriers: [] });
  return { sent, request: { table, send, targets, groups: new Set(groups) } };
}

describe('a signal to members', () => {
  test('reaches groups of the tree as a whole, and others one by one', async () => {
    const targets = [entry(100), entry(101), entry(200, { pgid: 200 }), entry(300, { pgid: 900 })];
    const { sent, request } = requestFor(targets, { groups: [100] });

    expect(await sendToMembers({ ...request, signal: 'SIGUSR1' })).toEqual([
      { signal: 'SIGUSR1', via: 'group', pids: [100, 101] },
      { signal: 'SIGUSR1', via: 'process', pids: [200, 300] },
    ]);
    expect(sent).toEqual([
      [-100, 'SIGUSR1'],
      [200, 'SIGUSR1'],
      [300, 'SIGUSR1'],
    ]);
  });

  test('goes to no process that has ended, and to no reused pid', async () => {
    const targets = [entry(100, { pgid: 10 }), entry(101, { pgid: 11 }), entry(102, { pgid: 12 })];
    const now = [entry(101, { alive: false }), entry(102, { startedAt: 'later' })];
    const { sent, request } = requestFor(targets, { now, groups: [10, 11, 12] });

    expect(await sendToMembers({ ...request, signal: 'SIGTERM' })).toEqual([]);
    expect(sent).toEqual([]);
  });

  test.each(['ESRCH', 'EPERM'])('is not counted where kill fails with %s', async (code) => {
    const targets = [entry(100), entry(200, { pgid: 200 }), entry(201, { pgid: 200 })];
    const { request } = requestFor(targets, { groups: [100], failures: { [-100]: code, 200: code } });

    expect(await sendToMembers({ ...request, signal: 'SIGTERM' })).toEqual([
      { signal: 'SIGTERM', via: 'process', pids: [201] },
    ]);
  });

  test('fails where kill fails otherwise', async () => {
    const { request } = requestFor([entry(100)], { failures: { 100: 'EINVAL' } });

    await expect(sendToMembers({ ...request, signal: 'SIGTERM' })).rejects.toThrow('EINVAL');
  });
});

describe('a signal that ends members', () => {
  const halted = entry(100, { pgid: 10, stopped: true });
  const running = entry(101, { pgid: 11 });
  const isHalted = ({ stopped }: ProcessEntry) => stopped;

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('continues halted ones after %s', async (signal) => {
    const { sent, request } = requestFor([halted, running]);

    expect(await endMembers({ ...request, signal, isHalted })).toEqual([
      { signal, via: 'process', pids: [100, 101] },
      { signal: 'SIGCONT', via: 'process', pids: [100] },
    ]);
    expect(sent.at(-1)).toEqual([100, 'SIGCONT']);
  });

  test('need not be followed by SIGCONT where it is SIGKILL', async () => {
    const { sent, request } = requestFor([halted, running]);

    expect(await endMembers({ ...request, signal: 'SIGKILL', isHalted })).toEqual([
      { signal: 'SIGKILL', via: 'process', pids: [100, 101] },
    ]);
    expect(sent).toHaveLength(2);
  });

  test('counts a SIGCONT that fails as not sent', async () => {
    const { request } = requestFor([halted], { failures: { 100: 'ESRCH' } });

    expect(await endMembers({ ...request, signal: 'SIGTERM', isHalted })).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('a program without an interest in SIGTERM', () => {
  /** Starts a shell that has set these traps and then sleeps. */
  async function startShell(traps: string) {
    const child = spawn('bash', ['-c', `${traps}; echo ready; sleep 300 & wait`], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      env: { PATH: process.env['PATH'], TROUPE_LINEAGE: `/sup_t/tool_traps${process.pid}/` },
    });
    onTestFinished(() => endAll([child.pid ?? 0], `/tool_traps${process.pid}/`));
    let isReady = false;
    child.stdout.once('data', () => {
      isReady = true;
    });
    await waitUntil(() => isReady);
    return entry(child.pid ?? 0, { pgid: child.pid ?? 0 });
  }

  test.each([
    [
      'ignores it and handles SIGHUP, as an interactive shell',
      `trap '' TERM; trap : HUP`,
      ['SIGTERM', 'SIGHUP'],
    ],
    ['ignores it', `trap '' TERM`, ['SIGTERM']],
    ['handles SIGHUP', 'trap : HUP', ['SIGTERM']],
    ['ignores both', `trap '' TERM HUP`, ['SIGTERM']],
  ])('hears of it by SIGHUP where it %s', async (_, traps, signals) => {
    const shell = await startShell(traps);
    const { sent, request } = requestFor([shell]);

    const told = await endMembers({ ...request, signal: 'SIGTERM', isHalted: () => false });

    expect(told).toEqual(signals.map((signal) => ({ signal, via: 'process', pids: [shell.pid] })));
    expect(sent).toEqual(signals.map((signal) => [shell.pid, signal]));
    expect(await endMembers({ ...request, signal: 'SIGINT', isHalted: () => false })).toHaveLength(1);
  });
});

test.each([
  [{}, true],
  [{ [-100]: 'EPERM' }, true],
  [{ [-100]: 'ESRCH' }, false],
])('a group exists unless kill fails with ESRCH: %j', (failures, exists) => {
  const { sent, send } = createSend(failures);

  expect(groupExists(send, 100)).toBe(exists);
  expect(sent).toEqual([[-100, 0]]);
});

test.each([0, 1, -5])('group %i is not asked for', (pgid) => {
  const { sent, send } = createSend();

  expect(groupExists(send, pgid)).toBe(false);
  expect(sent).toEqual([]);
});

test('group 2 is asked for', () => {
  expect(groupExists(createSend().send, 2)).toBe(true);
  expect(isRefusedTarget(2, own)).toBe(false);
});

test('a signal that reached no process was not sent', () => {
  expect(toSent('group', { signal: 'SIGTERM', pids: [] })).toEqual([]);
  expect(toSent('group', { signal: 'SIGTERM', pids: [7] })).toEqual([
    { signal: 'SIGTERM', via: 'group', pids: [7] },
  ]);
});
