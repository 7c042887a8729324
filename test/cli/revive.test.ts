import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive, waitUntil } from '../support/os.ts';
import { daemonProject } from './daemon-project.ts';

type Project = ReturnType<typeof daemonProject>;

function findDaemon({ path }: Project): number {
  const directory = join(path, '.troupe/supervisors');
  const entries = readdirSync(directory).filter((name) => name.endsWith('.json'));
  const daemon = entries
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')))
    .find(({ role, pid }) => role === 'daemon' && isAlive(pid));
  return daemon.pid;
}

async function killDaemon(project: Project): Promise<number> {
  const pid = findDaemon(project);
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => !isAlive(pid));
  return pid;
}

/** What is kept of a process until its end goes with it. */
async function endOrderly(project: Project): Promise<void> {
  await project.call('kill', '-f', 'web');
  process.kill(findDaemon(project), 'SIGTERM');
  await project.gone();
}

test('a verb that needs the daemon starts it again', async () => {
  await using project = daemonProject();
  const ready = ['--ready', 'line:up', '--restart', 'always'];
  await project.start('-n', 'web', ...ready, '-c', '--', 'echo up; exec sleep 1000');
  const [before] = await project.processes();
  const dead = await killDaemon(project);

  const restarted = await project.troupe('restart', 'web');
  const waited = await project.call('wait', 'web', '--ready');

  expect(restarted).toMatchObject({ code: 0, stderr: '' });
  expect(waited).toMatchObject({ code: 0, stdout: expect.stringMatching(/\(web\): it is ready/) });
  expect(findDaemon(project)).not.toBe(dead);
  expect((await project.processes())[0]?.pid).not.toBe(before?.pid);
  await endOrderly(project);
});

test('a wait restarts a process whose restart policy demands it', async () => {
  await using project = daemonProject();
  const ready = ['--ready', 'line:up', '--restart', 'always'];
  await project.start('-n', 'web', ...ready, '-c', '--', 'echo up; exec sleep 1000');
  const [before] = await project.processes();
  const pid = before?.pid ?? 0;
  await killDaemon(project);
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => !isAlive(pid));

  const waited = await project.troupe('wait', 'web', '--ready');

  expect(waited).toMatchObject({ code: 0, stderr: '' });
  const [after] = await project.processes();
  expect(after).toMatchObject({ id: before?.id, status: 'backgrounded', ready: { state: 'ready' } });
  expect(after?.pid).not.toBe(pid);
  await endOrderly(project);
});
