import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { assert, describe, expect, onTestFinished, test } from 'vitest';
import { findOwnCgroup } from '../../src/spawn/cgroup/own-cgroup.ts';
import { mainFile } from '../cli/program.ts';
import { canMakeCgroups } from '../support/cgroups.ts';
import { carriers, endAll, isAlive, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';
import { openRealHarness } from '../support/real.ts';

function ownCgroup(): string {
  const own = findOwnCgroup();
  return 'path' in own ? own.path : '';
}

describe.skipIf(!canMakeCgroups())('held by a cgroup', () => {
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
});

describe.each(['cgroup', 'lineage'] as const)('held by its %s', (heldBy) => {
  const isSkipped = heldBy === 'cgroup' && !canMakeCgroups();

  test.skipIf(isSkipped)('a daemon that a process starts by troupe is not one of its leftovers', async () => {
    await using harness = openRealHarness({ cgroups: heldBy === 'cgroup' });
    const troupe = `'${process.execPath}' '${mainFile}'`;
    const command = `${troupe} start --state-dir inner -- sleep 1000 && ${troupe} ps --state-dir inner`;
    const mark = `daemon_${randomUUID()}`;
    onTestFinished(() => endAll([], mark));

    const result = await harness.supervisor.execute({ command, env: { DAEMON_MARK: mark } });
    const daemon = carriers(mark);

    assert(result.type === 'completed');
    // Orphans of other programs of this machine may be suspects.
    expect(result.suspects.filter(({ pid }) => daemon.includes(pid))).toEqual([]);
    expect(result.leftovers).toEqual([]);
    expect(result).toHaveProperty('output', expect.stringContaining('sleep 1000'));
    expect(daemon.length).toBeGreaterThanOrEqual(2);
  });
});
