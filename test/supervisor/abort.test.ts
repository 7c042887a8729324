import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

test('an aborted start kills the whole tree of a real process', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const abort = new AbortController();
  const handle = supervisor.start({ command: 'sleep 600 & echo up; sleep 600', signal: abort.signal });
  await handle.waitFor({ text: 'up' });

  abort.abort();
  const end = await handle.ended;

  expect(end).toMatchObject({ status: 'killed', reason: { type: 'killed', by: 'owner' } });
  expect(await handle.members()).toEqual([]);
});

test('an aborted execute resolves with the end that the abort caused', async () => {
  await using rig = createVirtualHarness();
  const abort = new AbortController();
  const result = rig.supervisor.execute({ command: 'build', signal: abort.signal });
  await turn();

  abort.abort();

  expect(await result).toMatchObject({
    type: 'killed',
    by: 'owner',
    signal: 'SIGTERM',
    receipt: { survivors: [] },
  });
  expect(rig.run(0).signals).toEqual(['SIGTERM']);
});

test('an aborted execute with detach leaves the process running in the background', async () => {
  await using rig = createVirtualHarness();
  const abort = new AbortController();
  const result = rig.supervisor.execute({ command: 'build', signal: abort.signal, onAbort: 'detach' });
  await turn();

  abort.abort();

  expect(await result).toMatchObject({ type: 'backgrounded' });
  expect(rig.run(0).signals).toEqual([]);
});

test('a start whose signal is aborted already starts nothing', async () => {
  await using rig = createVirtualHarness();
  const signal = AbortSignal.abort(new Error('too late'));

  const start = () => rig.supervisor.start({ command: 'build', signal });

  expect(start).toThrow(expect.objectContaining({ code: 'aborted', cause: signal.reason }));
  expect(rig.backend.runs).toHaveLength(0);
});

test('an abort cancels a process that waits for a slot', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  rig.supervisor.start({ command: 'first' });
  const abort = new AbortController();
  const queued = rig.supervisor.start({ command: 'second', signal: abort.signal });

  abort.abort();

  expect(await queued.ended).toMatchObject({ status: 'killed', reason: { type: 'cancelled', by: 'owner' } });
  expect(rig.backend.runs).toHaveLength(1);
});

test('an abort after the end has no effect, and no listener remains', async () => {
  await using rig = createVirtualHarness();
  const { signal } = new AbortController();
  const handle = rig.supervisor.start({ command: 'build', signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  rig.run(0).exit();
  await handle.ended;

  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('an aborted wait for readiness returns "waiting", and the process continues', async () => {
  await using rig = createVirtualHarness();
  const abort = new AbortController();
  const server = rig.supervisor.start({ command: 'serve', background: true, ready: { line: 'up' } });
  const ready = server.ready({ signal: abort.signal });
  await turn();

  abort.abort();

  expect(await ready).toEqual({ state: 'waiting' });
  expect(server.status).toBe('backgrounded');
});

test.each([
  ['ready', (server, options) => server.ready(options)],
  ['waitFor', (server, options) => server.waitFor({ text: 'up', ...options })],
] as [
  string,
  (
    ...given: [ReturnType<ReturnType<typeof createVirtualHarness>['supervisor']['start']>, object]
  ) => Promise<unknown>,
][])('an aborted %s with kill ends with the process', async (_, wait) => {
  await using rig = createVirtualHarness();
  const abort = new AbortController();
  const server = rig.supervisor.start({ command: 'serve', background: true, ready: { line: 'up' } });
  const waited = wait(server, { signal: abort.signal, onAbort: 'kill' });
  await turn();

  abort.abort();
  await waited;

  expect(server.status).toBe('killed');
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
});

test('an aborted wait with kill is interrupted when the process survives', async () => {
  await using rig = createVirtualHarness();
  const abort = new AbortController();
  const server = rig.supervisor.start({ command: 'serve', background: true });
  await turn();
  rig.run(0).obeys = () => false;
  const waited = server.waitFor({ text: 'up', signal: abort.signal, onAbort: 'kill' });
  await turn();

  abort.abort();
  await turn();
  rig.clock.advance(60_000);

  expect(await waited).toMatchObject({ end: { type: 'interrupted' }, process: { status: 'stopping' } });
  rig.run(0).obeys = () => true;
});
