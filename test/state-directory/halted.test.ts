import { expect, test } from 'vitest';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import type { StateDirectory } from '../../src/state-directory/state-directory.ts';
import { endAll, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';

test('a halted supervisor is not waited for', { timeout: 40_000 }, async () => {
  using place = tempDir();
  const host = await startPuppetHost(place.path);
  const { id } = await host.ask('start', { command: ['sleep', '300'], background: true });
  const state = openStateDirectory({ directory: place.file('state') });
  await waitUntil(async () => (await state.list()).processes.some(({ answered }) => answered));
  process.kill(host.pid, 'SIGSTOP');

  const failure = await state.kill(id).catch((error: Error) => error);

  expect(failure).toMatchObject({ code: 'unreachable', message: expect.stringContaining('did not answer') });
  process.kill(host.pid, 'SIGCONT');
  state.close();
  await host.kill();
  await endAll([], `/${id}/`);
});

test.each([
  ['an end', (state: StateDirectory, id: string) => state.wait(id)],
  ['a text', (state: StateDirectory, id: string) => state.waitFor(id, { text: 'never' })],
])('%s is not waited for where the supervisor is halted', { timeout: 40_000 }, async (_what, wait) => {
  using place = tempDir();
  const host = await startPuppetHost(place.path);
  const { id } = await host.ask('start', { command: ['sleep', '300'], background: true });
  const state = openStateDirectory({ directory: place.file('state') });
  await waitUntil(async () => (await state.list()).processes.some(({ answered }) => answered));
  const waiting = wait(state, id).catch((error: Error) => error);
  process.kill(host.pid, 'SIGSTOP');

  const failure = await waiting;

  expect(failure).toMatchObject({ code: 'unreachable', message: expect.stringContaining('did not answer') });
  process.kill(host.pid, 'SIGCONT');
  state.close();
  await host.kill();
  await endAll([], `/${id}/`);
});

test('a schedule of a halted supervisor is shown and stays', { timeout: 40_000 }, async () => {
  using place = tempDir();
  const host = await startPuppetHost(place.path);
  const { id } = await host.ask('start', { command: ['sleep', '300'], background: true });
  const state = openStateDirectory({ directory: place.file('state') });
  await waitUntil(async () => (await state.list()).processes.some(({ answered }) => answered));
  const added = await state.schedule({ message: 'Look.', after: '1h', process: id });
  process.kill(host.pid, 'SIGSTOP');

  const [listed, failure] = await Promise.all([
    state.schedules(),
    state.unschedule(added.id).catch((error: Error) => error),
  ]);
  process.kill(host.pid, 'SIGCONT');

  expect(listed).toMatchObject({
    schedules: [{ id: added.id, answered: false, keeper: 'alive' }],
    warnings: [expect.stringContaining(`(pid ${host.pid}) could not be asked`)],
  });
  expect(failure).toMatchObject({ code: 'unreachable', message: expect.stringContaining(added.id) });
  // Requests from the time when it was halted are answered before this one.
  expect((await state.schedules()).schedules).toMatchObject([{ id: added.id, answered: true }]);
  state.close();
  await host.kill();
  await endAll([], `/${id}/`);
});

test('show counts the runtime until now if the supervisor has no control socket', async () => {
  using place = tempDir();
  const host = await startPuppetHost(place.path, { options: { control: false } });
  const { id } = await host.ask('start', { command: ['sleep', '300'], background: true });
  const state = openStateDirectory({ directory: place.file('state') });
  const startedAt = await waitUntil(async () => {
    const { view } = await state.show(id);
    return 'startedAt' in view ? view.startedAt : null;
  });
  await waitUntil(() => Date.now() > startedAt + 500);

  const { view, answered } = await state.show(id);

  expect(answered).toBe(false);
  expect('runtimeMs' in view && view.runtimeMs).toBeGreaterThanOrEqual(500);
  state.close();
  await host.kill();
  await endAll([], `/${id}/`);
});

test('a wait sees an end without its supervisor', async () => {
  using place = tempDir();
  const host = await startPuppetHost(place.path, { options: { control: false } });
  const { id } = await host.ask('start', { command: 'exit 3', background: true });
  await host.ask('ended', id);
  const state = openStateDirectory({ directory: place.file('state') });
  await waitUntil(async () => 'endedAt' in (await state.show(id)).view);

  const answer = await state.kill(id);

  expect(answer).toMatchObject({
    type: 'notRunning',
    message: expect.stringContaining('exited with code 3'),
  });
  state.close();
  await host.kill();
});

test('a halted supervisor keeps no other from being swept', { timeout: 40_000 }, async () => {
  using place = tempDir();
  const [halted, other] = [await startPuppetHost(place.path), await startPuppetHost(place.path)];
  const { id } = await halted.ask('start', { command: ['sleep', '300'], background: true });
  const over = await other.ask('start', { command: 'exit 0', background: true });
  await other.ask('ended', over.id);
  const state = openStateDirectory({ directory: place.file('state') });
  await waitUntil(async () => {
    const { processes } = await state.list();
    return processes.length === 2 && processes.every(({ answered }) => answered);
  });
  process.kill(halted.pid, 'SIGSTOP');

  const swept = await state.sweep({ all: true });

  expect(swept).toMatchObject({
    forgotten: 1,
    warnings: [expect.stringContaining(`(pid ${halted.pid}) could not be asked`)],
  });
  process.kill(halted.pid, 'SIGCONT');
  state.close();
  await Promise.all([halted.kill(), other.kill()]);
  await endAll([], `/${id}/`);
});
