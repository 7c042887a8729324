import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createSocketPaths } from '../../src/store/socket-paths.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { untilServerIsGone } from '../spawn/tmux/arrange.ts';
import { isInstalled } from '../support/installed.ts';
import { carriers, endAll, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';

const withinMs = 60_000;

/** A process in tmux whose supervisor is dead, and the next one, whose PATH leads to no tmux. */
async function openPlace() {
  const place = tempDir();
  const stateDirectory = place.file('state');
  const socket = createSocketPaths(toStatePaths(stateDirectory)).make('tmux');
  const marks: string[] = [];
  onTestFinished(async () => {
    for (const mark of marks) await endAll(carriers(mark), mark);
    await untilServerIsGone(socket);
    place.remove();
  });
  const first = await startPuppetHost(place.path, { options: { terminal: 'tmux' } });
  marks.push(`/${first.supervisorId}/`);
  const { id } = await first.ask('start', {
    command: 'read -r line; exit 7',
    interactive: true,
    lifetime: 'persistent',
    background: true,
  });
  const state = openStateDirectory({ directory: stateDirectory });
  onTestFinished(() => state.close());
  // In its record, too, which is up to 10 ms behind.
  const record = join(stateDirectory, 'processes', `${id}.json`);
  await waitUntil(() => JSON.parse(readFileSync(record, 'utf8')).view.status === 'backgrounded', {
    withinMs,
  });
  await first.kill();
  const second = await startPuppetHost(place.path, { env: { PATH: place.file('empty') } });
  onTestFinished(() => second.kill());
  return { directory: place.path, stateDirectory, state, id, second };
}

describe.skipIf(!isInstalled('tmux'))('a supervisor that finds no tmux', () => {
  test('lives beside what runs in it', { timeout: 180_000 }, async () => {
    const { directory, stateDirectory, id, second } = await openPlace();
    expect(second.recovered).toMatchObject({ adopted: [], lost: [] });
    expect(second.recovered.problem).toContain('tmux is not installed. Install tmux');
    expect(carriers(`/${id}/`)).not.toEqual([]);

    await second.kill();
    const third = createSupervisor({ cwd: directory, stateDirectory, terminal: 'tmux' });
    onTestFinished(async () => void (await third.shutdown()));
    const handle = third.get(id);
    await handle?.sendKeys({ keys: ['Enter'] });

    expect(await handle?.ended).toMatchObject({ exit: { code: 7 }, reason: { type: 'exited' } });
  });

  test('does not prevent its kill', { timeout: 180_000 }, async () => {
    const { state, id, second } = await openPlace();
    const { view } = await state.show(id);

    const killed = await state.kill(id);

    expect(view).toMatchObject({ status: 'backgrounded', terminal: { attach: expect.any(Array) } });
    expect(killed).toMatchObject({ type: 'killed' });
    await waitUntil(() => carriers(`/${id}/`).length === 0, { withinMs, what: 'it is gone' });
    expect((await state.show(id)).view).toMatchObject({ status: 'killed' });
    await second.kill();
  });
});
