import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessView } from '../../src/process/process-view.ts';
import { endAll, isAlive, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';

const limitMs = 3_000;

test('a command that ended in time is never timed out', { timeout: 60_000 }, async () => {
  const place = tempDir();
  onTestFinished(async () => {
    await endAll([host.pid], `/${host.supervisorId}/`);
    place.remove();
  });
  const host = await startPuppetHost(place.path, { options: { maxParallelTools: 20, timeout: 0 } });
  const start = (more: object) =>
    host.ask('start', {
      command: 'until test -e go; do sleep 0.1; done',
      onTimeout: 'kill',
      maxExecutionTime: 0,
      ...more,
    });
  const kinds = [
    {},
    {},
    {},
    {},
    { lifetime: 'persistent' },
    { lifetime: 'persistent' },
    { interactive: true },
  ];
  const ids = (await Promise.all(kinds.map(start))).map(({ id }) => id);
  const views = await Promise.all(ids.map((id) => host.ask('started', id)));
  const startedAt = Math.min(...views.map(({ createdAt }) => createdAt));

  const timeout = Date.now() - startedAt + limitMs;
  await Promise.all(ids.map((id) => host.ask('changeLimits', { id, timeout })));
  process.kill(host.pid, 'SIGSTOP');
  writeFileSync(`${place.path}/go`, '');
  await waitUntil(() => views.every((view) => !isAlive(pidOf(view))), { what: 'all of them have ended' });
  await waitUntil(() => Date.now() > Math.max(...views.map(({ createdAt }) => createdAt)) + timeout + 50);
  process.kill(host.pid, 'SIGCONT');

  const ends = await Promise.all(ids.map((id) => host.ask('ended', id)));
  expect(ends.map(({ mode, status }) => `${mode}: ${status}`)).toEqual(
    views.map(({ mode }) => `${mode}: completed`),
  );
});

function pidOf(view: ProcessView): number {
  if (!('pid' in view) || view.pid === null) throw new Error(`${view.id} has no pid`);
  return view.pid;
}
