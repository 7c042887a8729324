import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { carriers, endAll, tempDir, waitUntil } from '../../support/os.ts';
import { startPuppetHost } from '../../support/puppet-host.ts';

async function startHost(directory: string) {
  const host = await startPuppetHost(directory, { options: {} });
  onTestFinished(async () => {
    await host.kill();
    await endAll([], `/${host.supervisorId}/`);
  });
  return host;
}

test('a live process without a status file is adopted by its record', { timeout: 120_000 }, async () => {
  const place = tempDir();
  onTestFinished(() => place.remove());
  const first = await startHost(place.path);
  const command = ['sleep', '300'];
  const { id } = await first.ask('start', { command, background: true, lifetime: 'persistent' });
  onTestFinished(() => endAll([], `/${id}/`));
  await first.ask('started', id);
  const files = join(place.path, 'state', 'processes');
  const leaderOf = () => JSON.parse(readFileSync(join(files, `${id}.json`), 'utf8')).leader;
  await waitUntil(() => leaderOf() !== null, { what: 'its leader is written down' });
  const { pid } = leaderOf();
  await first.kill();
  rmSync(join(files, `${id}.status`));

  const second = await startHost(place.path);
  await second.ask('started', id);

  expect((await second.ask('view', id)).view).toMatchObject({ status: 'backgrounded', pid });
  expect(await second.ask('kill', { id })).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  await waitUntil(() => carriers(`/${id}/`).length === 0, { what: 'nothing of it is left' });
});
