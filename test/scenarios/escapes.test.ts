import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { assert, describe, expect, onTestFinished, test } from 'vitest';
import { findOwnCgroup } from '../../src/spawn/cgroup/own-cgroup.ts';
import { mainFile } from '../cli/program.ts';
import { canMakeCgroups } from '../support/cgroups.ts';
import { isInstalled } from '../support/installed.ts';
import { carriers, endAll, isAlive, startTicksOf, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

/** Ways to lose every tie to the process that has started a program. The last word of each is the program that gets away. */
const escapes = [
  ['an environment and a session of its own', 'env -i setsid sleep 1000', 'sleep'],
  ['an overwritten environment', `setsid perl -e '$0 = "x" x 9000; sleep 1000'`, 'x'],
] as const;

function ownCgroup(): string {
  const own = findOwnCgroup();
  return 'path' in own ? own.path : '';
}

/** Starts a program that escapes, and ends once it has. */
async function startEscape({ supervisor, file }: RealHarness, command: string) {
  // It has escaped once it shows its new name.
  const name = escapes.find(([, each]) => each === command)?.[2] ?? '';
  const hasEscaped = `read pid < '${file('pid')}'; until grep -aq '^${name}' /proc/$pid/cmdline; do sleep 0.02; done`;
  const result = await supervisor.execute({
    command: `(${command} & echo $! > '${file('pid')}'); ${hasEscaped}`,
  });
  assert(result.type === 'completed');
  return { result, pid: Number(readFileSync(file('pid'), 'utf8')) };
}

describe.skipIf(!canMakeCgroups() || !isInstalled('perl'))('held by a cgroup', () => {
  test.each(escapes)('a descendant with %s is a leftover and is killed', async (_, command) => {
    await using harness = openRealHarness();

    const { result, pid } = await startEscape(harness, command);
    const before = harness.supervisor.get(result.process.id)?.view();
    const answer = await harness.supervisor.kill(result.process.id);

    expect(before).toMatchObject({ held: 'cgroup', leftovers: [{ pid }], suspects: [] });
    expect(answer).toMatchObject({ type: 'leftoversEnded', receipt: { survivors: [] } });
    expect(isAlive(pid)).toBe(false);
  });

  test('a tree that forks faster than it can be read is killed', async () => {
    await using harness = openRealHarness({ killGrace: 100 });
    const storm =
      'trap "" TERM; f() { while :; do (env -i setsid sh -c "sleep 0.02" &) 2>/dev/null; done; }; f & f';
    const handle = harness.supervisor.start({ command: `echo up; ${storm}`, background: true });
    await handle.waitFor({ text: 'up' });

    const answer = await handle.kill();

    expect(answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
    expect(handle.view()).toMatchObject({ held: 'cgroup', leftovers: [], suspects: [] });
  });

  test('a descendant that has escaped is killed with a supervisor that is killed', async () => {
    using place = tempDir();
    const host = await startPuppetHost(place.path);
    const pidFile = place.file('pid');
    const command = `(env -i setsid sleep 1000 & echo $! > '${pidFile}'); sleep 1000`;
    await host.ask('start', { command, background: true });
    await waitUntil(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'));
    const pid = Number(readFileSync(pidFile, 'utf8'));
    const cgroup = /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1];

    await host.kill();

    await waitUntil(() => !isAlive(pid), { what: 'the descendant is dead' });
    expect(cgroup).toMatch(/^\S*\/troupe-\d+-\d+-sup_\w+\/session\/\w+\.1$/);
  });

  test('a descendant that has escaped is killed with a process that another supervisor has adopted', async () => {
    using place = tempDir();
    const first = await startPuppetHost(place.path);
    const pidFile = place.file('pid');
    const command = `(env -i setsid sleep 1000 & echo $! > '${pidFile}'); sleep 1000`;
    const { id } = await first.ask('start', { command, lifetime: 'persistent', background: true });
    onTestFinished(() => endAll([], `/${id}/`));
    await waitUntil(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'));
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await waitUntil(async () => (await first.ask('view', id)).view.status === 'backgrounded');
    await first.kill();
    const second = await startPuppetHost(place.path);

    const view = await waitUntil(async () => {
      const seen = await second.ask('view', id);
      return seen.view.status === 'backgrounded' && seen.view;
    });
    const answer = await second.ask('kill', { id });
    await second.leave();

    expect(view).toMatchObject({ status: 'backgrounded', held: 'cgroup' });
    expect(answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(ownCgroup()).filter((name) => name.includes(first.supervisorId))).toEqual([]);
  });

  test('a daemon that a process starts by troupe is not one of its leftovers', async () => {
    await using harness = openRealHarness();
    const troupe = `'${process.execPath}' '${mainFile}'`;
    const command = `${troupe} start --state-dir inner -- sleep 1000 && ${troupe} ps --state-dir inner`;

    const mark = `daemon_${randomUUID()}`;
    onTestFinished(() => endAll([], mark));

    const result = await harness.supervisor.execute({ command, env: { DAEMON_MARK: mark } });
    const daemon = carriers(mark);

    expect(result).toMatchObject({ type: 'completed', leftovers: [], suspects: [] });
    expect(result).toHaveProperty('output', expect.stringContaining('sleep 1000'));
    expect(daemon.length).toBeGreaterThanOrEqual(2);
  });
});

describe.skipIf(!isInstalled('perl'))('held by the lineage', () => {
  test.each(escapes)('a descendant with %s is named and not signalled', async (_, command) => {
    await using harness = openRealHarness({ cgroups: false });

    const { result, pid } = await startEscape(harness, command);
    const before = harness.supervisor.get(result.process.id)?.view();
    const answer = await harness.supervisor.kill(result.process.id);
    const wasAlive = isAlive(pid);
    const startedAt = startTicksOf(pid);
    await endAll([pid]);
    const [after] = harness.supervisor.list();

    expect(before).toMatchObject({ held: 'lineage', leftovers: [], suspects: [{ pid, startedAt }] });
    expect(result.suspects).toMatchObject([{ pid }]);
    expect(answer.message).toContain(`Possibly left running by it: ${pid} (`);
    expect(wasAlive).toBe(true);
    expect(after).not.toMatchObject({ suspects: [{ pid }] });
  });
});
