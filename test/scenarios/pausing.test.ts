import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import type { ProcessHandle } from '../../src/index.ts';
import { canMakeCgroups } from '../support/cgroups.ts';
import { isInstalled } from '../support/installed.ts';
import {
  carriers,
  carriersBesideLauncher,
  endAll,
  isAlive,
  isHalted,
  stateOf,
  waitUntil,
} from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

/** Shell that starts programs without a pause, and has a child in a session of its own. */
const restless = 'setsid sleep 300 & echo up; while :; do sleep 0.01; done';

/** Program in vfork(2): the parent waits in the kernel, in state D, for its child, which prints its pid. */
const vfork = `
import ctypes, os, time
libc = ctypes.CDLL(None)
if libc.vfork() == 0:
    os.write(1, b'%d\\n' % os.getpid())
    time.sleep(1000)
os.write(1, b'continues\\n')
time.sleep(1000)
`;

function detailsOf(handle: ProcessHandle, type: string): readonly string[] {
  return handle
    .timeline()
    .filter((entry) => entry.type === type)
    .map(({ detail = '' }) => detail);
}

describe.each(['cgroup', 'lineage'] as const)('held by %s', (heldBy) => {
  const cgroups = heldBy === 'cgroup';
  const options = { cgroups };
  const skip = cgroups && !canMakeCgroups();

  test.skipIf(skip)('a pause halts everything that a process starts', async () => {
    await using rig = openRealHarness(options);
    const handle = rig.supervisor.start({ command: restless, background: true });
    await handle.waitFor({ text: 'up' });

    const answer = await handle.pause();
    const halted = rig.alive(handle.id);

    expect(answer.ok).toBe(true);
    expect(handle.view()).toMatchObject({ held: heldBy, pausedAt: expect.any(Number) });
    expect(halted.length).toBeGreaterThan(1);
    expect(halted.filter((pid) => !isHalted(pid))).toEqual([]);
    await handle.resume();
    await waitUntil(() => rig.alive(handle.id).every((pid) => !isHalted(pid)), { what: 'it runs again' });
  });

  test.skipIf(skip || !isInstalled('python3'))(
    'a pause halts a member in a call that cannot be interrupted',
    async () => {
      await using rig = openRealHarness(options);
      const handle = rig.supervisor.start({ command: ['python3', '-c', vfork], background: true });
      const { matchedLine } = await handle.waitFor({ pattern: '^\\d+$' });
      const child = Number(matchedLine);
      const { pid } = handle.view() as { pid: number };
      await waitUntil(() => stateOf(pid) === 'D', { what: 'the parent waits in the kernel' });

      const answer = await handle.pause();
      // Its call returns with the end of the child, but its program does not continue.
      process.kill(child, 'SIGKILL');
      await waitUntil(() => !isAlive(child), { what: 'the child is dead' });
      await waitUntil(() => (cgroups ? isHalted(pid) : stateOf(pid) === 'T'), {
        what: 'the parent is halted',
      });

      expect(answer).toMatchObject({ ok: true, message: expect.not.stringContaining('Not halted') });
      expect(answer.ok && new Set(answer.pids)).toEqual(new Set([pid, child]));
      expect(handle.read().text).not.toContain('continues');
      expect(await handle.kill()).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
    },
  );

  test.skipIf(skip)('a paused process is ended by its polite signal', async () => {
    await using rig = openRealHarness(options);
    const command = 'trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.01; done';
    const handle = rig.supervisor.start({ command, background: true, killGrace: '20s' });
    await handle.waitFor({ text: 'up' });
    await handle.pause();

    const answer = await handle.kill();

    expect(answer).toMatchObject({ type: 'killed', receipt: { escalated: false, survivors: [] } });
    expect(handle.read().text).toContain('bye');
    expect(rig.alive(handle.id)).toEqual([]);
  });

  test.skipIf(skip)('a leftover of a paused process runs after the death of its leader', async () => {
    await using rig = openRealHarness(options);
    const handle = rig.supervisor.start({
      command: 'sleep 300 >/dev/null 2>&1 & echo $!; wait',
      background: true,
    });
    const { matchedLine } = await handle.waitFor({ pattern: '^\\d+$' });
    const leftover = Number(matchedLine);
    await handle.pause();
    const wasHalted = isHalted(leftover);

    process.kill((handle.view() as { pid: number }).pid, 'SIGKILL');
    await handle.ended;

    expect(wasHalted).toBe(true);
    await waitUntil(() => !isHalted(leftover), { what: 'the leftover runs' });
    expect(isAlive(leftover)).toBe(true);
    await handle.kill();
    expect(isAlive(leftover)).toBe(false);
  });

  test.skipIf(skip)('each signal is in the timeline with whom it reached and why', async () => {
    await using rig = openRealHarness(options);
    const command = 'trap "echo reloaded" HUP; trap "" TERM; echo up; while :; do sleep 0.02; done';
    const handle = rig.supervisor.start({ command, background: true, killGrace: 200 });
    await handle.waitFor({ text: 'up' });
    const { pid } = handle.view() as { pid: number };

    await handle.signal({ signal: 'SIGHUP', to: 'leader' });
    await handle.waitFor({ text: 'reloaded' });
    await handle.kill({ by: 'agent' });

    const [hup, ...rest] = detailsOf(handle, 'process.signalled');
    expect(hup).toBe(`SIGHUP to 1 process (${pid})`);
    expect(rest[0]).toMatch(/^SIGTERM to \d+ process(es)? \(\d.*\), by its group: a kill$/);
    const way = cgroups ? 'cgroup' : 'group';
    expect(rest).toContainEqual(
      expect.stringMatching(
        new RegExp(`^SIGKILL to .*, by its ${way}: alive at the end of its grace period$`),
      ),
    );
  });

  test.skipIf(skip)('a paused persistent process is paused under the next supervisor', async () => {
    await using rig = openRealHarness(options);
    const { stateDirectory, directory: cwd } = rig;
    const first = createReachableSupervisor({ cwd, stateDirectory, cgroups });
    const command = 'echo up; while :; do echo tick; sleep 0.05; done';
    const { id } = first.start({ command, background: true, lifetime: 'persistent' });
    onTestFinished(() => endAll([], `/${id}/`));
    await first.get(id)?.waitFor({ text: 'tick' });
    await waitUntil(() => first.get(id)?.status === 'backgrounded', { what: 'it has started' });
    await first.get(id)?.pause();
    const before = (first.get(id) as ProcessHandle).view() as { pausedAt: number };
    await first.shutdown();
    const members = carriersBesideLauncher(`/${id}/`);
    const areHalted = members.length > 0 && members.every(isHalted);

    await using next = createReachableSupervisor({ cwd, stateDirectory, cgroups });
    const handle = next.get(id);
    await waitUntil(() => handle?.status === 'backgrounded', { what: 'it was adopted' });

    expect(areHalted).toBe(true);
    expect(handle?.view()).toMatchObject({ pausedAt: before.pausedAt });
    await handle?.resume();
    await handle?.waitFor({ text: 'tick', from: 'now' });
    expect(handle?.view()).toMatchObject({ pausedAt: null });
    expect(await handle?.kill()).toMatchObject({ type: 'killed' });
    expect(carriers(`/${id}/`)).toEqual([]);
  });

  test.skipIf(skip)('a process that was continued while no supervisor ran is not paused', async () => {
    await using rig = openRealHarness(options);
    const { stateDirectory, directory: cwd } = rig;
    const first = createReachableSupervisor({ cwd, stateDirectory, cgroups: false });
    const command = 'echo up; exec sleep 300';
    const { id } = first.start({ command, background: true, lifetime: 'persistent' });
    onTestFinished(() => endAll([], `/${id}/`));
    await first.get(id)?.waitFor({ text: 'up' });
    await waitUntil(() => first.get(id)?.status === 'backgrounded', { what: 'it has started' });
    await first.get(id)?.pause();
    const { pid } = (first.get(id) as ProcessHandle).view() as { pid: number };
    await first.shutdown();
    process.kill(pid, 'SIGCONT');
    await waitUntil(() => !isHalted(pid));

    await using next = createReachableSupervisor({ cwd, stateDirectory, cgroups });
    await waitUntil(() => next.get(id)?.status === 'backgrounded');

    expect(next.get(id)?.view()).toMatchObject({ pausedAt: null });
    await next.get(id)?.kill();
  });
});

test('a signal that ends nothing reaches the whole tree', async () => {
  await using rig = openRealHarness();
  const trap = 'trap "echo got >> log" USR1; echo ready >> log; while :; do sleep 0.02; done';
  const handle = rig.supervisor.start({ command: `sh -c '${trap}' & ${trap}`, background: true });
  const read = () => (existsSync(rig.file('log')) ? readFileSync(rig.file('log'), 'utf8') : '');
  await waitUntil(() => read().match(/ready/g)?.length === 2, { what: 'both are ready' });

  const answer = await handle.signal('SIGUSR1');

  expect(answer.ok && answer.pids.length).toBeGreaterThanOrEqual(2);
  await waitUntil(() => read().match(/got/g)?.length === 2, { what: 'both have heard of it' });
  expect(handle.status).toBe('backgrounded');
});

test('a foreign process is not halted by a pause', async () => {
  await using rig = openRealHarness();
  const foreign = spawn('sleep', ['300'], { stdio: 'ignore' });
  const handle = rig.supervisor.start({ command: 'echo up; sleep 300', background: true });
  await handle.waitFor({ text: 'up' });

  await handle.pause();

  expect(isHalted(foreign.pid ?? 0)).toBe(false);
  foreign.kill('SIGKILL');
  await waitUntil(() => !isAlive(foreign.pid ?? 0));
});
