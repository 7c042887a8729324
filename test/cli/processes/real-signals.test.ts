import { expect, test } from 'vitest';
import { carriers, isHalted, waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';

test('a process of the daemon is paused, shown as paused, signalled and resumed', async () => {
  await using project = daemonProject();
  const script = 'trap "echo reloaded" HUP; echo up; while :; do sleep 0.1; done';
  const id = await project.start('--name', 'server', '--', 'sh', '-c', script);
  await project.call('wait', 'server', '--text', 'up');

  const paused = await project.troupe('pause', 'server');
  const areHalted = carriers(`/${id}/`).filter((pid) => isHalted(pid)).length;
  const listed = await project.call('ps');
  const shown = await project.call('show', 'server');
  const signalled = await project.call('signal', 'server', '1', '--leader');
  const resumed = await project.call('resume', 'server');
  const heard = await project.call('wait', 'server', '--text', 'reloaded', '--timeout', '20s');

  expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('is paused') });
  expect(areHalted).toBeGreaterThan(0);
  expect(listed.stdout).toContain('backgrounded · paused');
  expect(shown.stdout).toMatch(/status +backgrounded: paused since/);
  expect(signalled.stdout).toContain('hears of it when it is resumed');
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('continues') });
  expect(heard.code).toBe(0);
  const timeline = (await project.call('show', 'server')).stdout;
  expect(timeline).toMatch(/signalled by the user: SIGHUP to 1 process \(\d+\)/);
  expect(timeline).toContain('paused by the user:');
  await waitUntil(() => carriers(`/${id}/`).every((pid) => !isHalted(pid)));
  expect((await project.call('kill', '-f', 'server')).code).toBe(0);
  expect(carriers(`/${id}/`)).toEqual([]);
});

test.each([
  [['kill', '-f', '-s', 'WINCH', 'x'], 'troupe signal <id> WINCH'],
  [['kill', '-f', '-s', 'STOP', 'x'], 'troupe signal <id> STOP'],
  [['signal', 'x', 'KILL'], 'troupe kill -9 x'],
  [['signal', 'x', 'HUPP'], 'Did you mean SIGHUP?'],
  [['signal', 'x'], "missing required argument 'signal'"],
])('%j is refused and names the way', async (args, hint) => {
  await using project = daemonProject();

  const ran = await project.call(...args);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(hint);
});
