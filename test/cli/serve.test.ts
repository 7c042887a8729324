import { readdirSync, unlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/os.ts';
import { daemonProject } from './daemon-project.ts';
import { mainFile, startProgram } from './program.ts';
import { ensureTmux, openTerminal } from './tmux.ts';

const daemonOf = async (project: ReturnType<typeof daemonProject>): Promise<string> => {
  const { checks } = JSON.parse((await project.call('doctor', '--json')).stdout);
  return checks.find(({ name }: { name: string }) => name === 'daemon').says;
};

test('an idle daemon ends by itself', async () => {
  await using project = daemonProject();

  const ran = await project.troupe('serve', '--idle', '100ms');

  expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('the second daemon is not needed', async () => {
  await using project = daemonProject();
  const { child, ran } = startProgram(['serve', '--forever'], { cwd: project.path, env: project.env });
  await waitUntil(async () => (await daemonOf(project)) === `pid ${child.pid}`, { withinMs: 30_000 });

  const second = await project.troupe('serve');

  expect(second).toMatchObject({ code: 0, stdout: '' });
  expect(second.stderr).toContain('has a daemon already');
  child.kill('SIGTERM');
  expect((await ran).code).toBe(143);
});

test('a daemon whose socket was removed is reached again', { timeout: 60_000 }, async () => {
  await using project = daemonProject();
  await project.start('--', 'sleep', '1000');
  const place = project.file('.troupe/supervisors');
  const list = (ending: string) => readdirSync(place).filter((name) => name.endsWith(ending));
  const [sockets, entries] = [list('.sock'), list('.json')];
  for (const name of sockets) unlinkSync(`${place}/${name}`);

  const ran = await project.troupe('start', '--', 'sleep', '1000');

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  // A second daemon, started while the first had no socket, leaves as soon as it finds the first.
  await expect.poll(() => [list('.sock'), list('.json')], { timeout: 10_000 }).toEqual([sockets, entries]);
  expect(await project.processes()).toHaveLength(2);
});

test.skipIf(!ensureTmux())('a daemon at a terminal prints what happens', { timeout: 60_000 }, async () => {
  await using project = daemonProject();
  const mark = `TROUPE_TEST_MARK=${project.env.TROUPE_TEST_MARK}`;
  await using terminal = await openTerminal({
    command: `${mark} ${process.execPath} ${mainFile} serve --forever`,
    cwd: project.path,
    columns: 100,
  });
  await terminal.shows('Ctrl-C ends it');

  await project.start('--name', 'quick', '--', 'sh', '-c', 'exit 3');

  await terminal.shows('exit 3');
  await terminal.shows('exited with code 3');
});
