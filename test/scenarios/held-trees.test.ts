import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FinalView } from '../../src/process/process-view.ts';
import { findProcessCgroup } from '../../src/spawn/cgroup/own-cgroup.ts';
import { mainFile } from '../cli/program.ts';
import { isInstalled } from '../support/installed.ts';
import { endAll, isAlive, startTicksOf, waitUntil } from '../support/os.ts';
import { type OpenPlace, type Place, places } from '../support/places.ts';
import type { PuppetHost } from '../support/puppet-host.ts';

/** Ways to lose every tie to the process that has started a program. The last word of each is the program as it shows itself afterwards. */
const escapes = [
  ['an environment and a session of its own', 'env -i KEY=1 setsid sleep 1000', 'sleep'],
  ['an empty environment', 'env -i setsid sleep 1000', 'sleep'],
  ['an overwritten environment', `setsid perl -e '$0 = "x" x 9000; sleep 1000'`, 'x'],
  ['an environment that only root can read', 'setsid ./unreadable/sleep 1000', './unreadable/sleep'],
] as const;

/** Copies a program into a directory, without permission to read it: the kernel hides the memory of those who run it. */
const makeUnreadable =
  'mkdir "$0/unreadable" && cp "$(command -v sleep)" "$0/unreadable" && chmod 111 "$0/unreadable/sleep"';

function isSkipped(name: string, { findObstacle }: Place): boolean {
  const why = isInstalled('perl') ? findObstacle() : 'perl is not installed';
  if (why !== null) console.warn(`Tests with ${name} are SKIPPED: ${why}.`);
  return why !== null;
}

describe.each(Object.entries(places))('%s', (name, place) => {
  const { held, problem } = place;

  describe.skipIf(isSkipped(name, place))('holds its processes', () => {
    const opened = {} as { here: OpenPlace; host: PuppetHost; diagnosis: Promise<string> };
    const started: number[] = [];
    /** Left by a supervisor that was killed together with its watchdog. */
    const deadGroups = 'troupe-4194303-1-sup_dead';

    beforeAll(async () => {
      const here = place.open();
      execFileSync('sh', ['-c', makeUnreadable, here.directory]);
      if (here.cgroup !== null)
        await here.run('mkdir', '-p', join(here.cgroup, deadGroups, 'persistent/tool_a.1'));
      const diagnosis = here.run(process.execPath, mainFile, 'doctor', '--json');
      diagnosis.catch(() => {});
      Object.assign(opened, { here, diagnosis, host: await here.startHost() });
    });

    afterAll(async () => {
      await opened.host.kill();
      await endAll(started, `/${opened.host.supervisorId}/`);
      await opened.here.close();
    });

    const pidIn = (file: string) => {
      const path = opened.here.file(file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      return text.endsWith('\n') ? Number(text) : null;
    };

    /** Runs a command that starts a program which escapes, and ends once it has. */
    async function runEscape(command: string, shows: string) {
      const { host, here } = opened;
      rmSync(here.file('pid'), { force: true });
      const hasEscaped = `read pid < pid; until grep -aq '^${shows}' /proc/$pid/cmdline; do sleep 0.02; done`;
      const { id } = await host.ask('start', { command: `(${command} & echo $! > pid); ${hasEscaped}` });
      const pid = await waitUntil(() => pidIn('pid'), { what: 'the program has a pid' });
      started.push(pid);
      const cgroup = findProcessCgroup(pid);
      await host.ask('ended', id);
      const { view } = (await host.ask('view', id)) as { view: FinalView };
      return { id, pid, startedAt: startTicksOf(pid), cgroup, view };
    }

    test.each(escapes)('a descendant with %s is not lost', async (_, command, shows) => {
      const { id, pid, startedAt, cgroup, view } = await runEscape(command, shows);
      const answer = await opened.host.ask('kill', { id });

      const isKnown = view.leftovers.some((leftover) => leftover.pid === pid);
      expect([view.status, view.held]).toEqual(['completed', held]);
      // Other programs of this machine may have started more suspects.
      expect([...view.leftovers, ...view.suspects]).toContainEqual(
        expect.objectContaining({ pid, startedAt }),
      );
      // Only what is proven to be a descendant is signalled.
      expect(isAlive(pid)).toBe(!isKnown);
      expect(new RegExp(`Possibly left running by it: .*\\b${pid} \\(`).test(answer.message)).toBe(!isKnown);
      if (held === 'lineage') return;
      expect(answer).toMatchObject({ type: 'leftoversEnded', receipt: { survivors: [] } });
      expect(cgroup).toBe(join(opened.here.cgroup ?? '', `${groupsOf(cgroup)}/session/${id}.1`));
      expect(existsSync(cgroup ?? '')).toBe(false);
    });

    test('the doctor says what holds a process there, and why', async () => {
      const { checks } = JSON.parse(await opened.diagnosis);
      const { state, says } = checks.find((check: { name: string }) => check.name === 'cgroups');

      const [, why = null] = /^are unavailable \((.*)\): /.exec(says) ?? [];
      expect(state).toBe(problem === null ? 'ok' : 'warn');
      if (problem === null) expect(says).toBe('are available: everything that a process starts is known');
      else expect(why).toMatch(problem);
    });

    if (held === 'lineage') return;

    test('a descendant with the lineage of another origin is a leftover', async () => {
      const { id, pid, view } = await runEscape('TROUPE_LINEAGE=/ setsid sleep 1000', 'sleep');
      await opened.host.ask('kill', { id });

      expect(view.leftovers).toContainEqual(expect.objectContaining({ pid }));
      expect(isAlive(pid)).toBe(false);
    });

    test('a cgroup of a dead supervisor is removed', () => {
      expect(existsSync(join(opened.here.cgroup ?? '', deadGroups))).toBe(false);
    });

    test('a descendant that has escaped is killed after its supervisor was killed', async () => {
      const { host, here } = opened;
      const command = '(env -i setsid sleep 1000 & echo $! > last); sleep 1000';
      await host.ask('start', { command, background: true });
      const pid = await waitUntil(() => pidIn('last'), { what: 'the program has a pid' });
      started.push(pid);
      const groups = groupsOf(findProcessCgroup(pid));

      await host.kill();

      await waitUntil(() => !isAlive(pid), { what: 'the descendant is dead' });
      expect(groups).toContain(host.supervisorId);
      const ofSupervisor = join(here.cgroup ?? '', groups);
      await waitUntil(() => !existsSync(ofSupervisor), { what: 'the cgroups of the supervisor are removed' });
    });
  });
});

/** Returns the name of the cgroup of the supervisor to which the cgroup of a process belongs. */
function groupsOf(cgroup: string | null): string {
  return basename(dirname(dirname(cgroup ?? '')));
}
