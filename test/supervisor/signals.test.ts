import { expect, test } from 'vitest';
import type { ProcessHandle } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

/** What a person reads of the signals that were sent. */
function signalsOf(handle: ProcessHandle): readonly string[] {
  return handle
    .timeline()
    .filter(({ type }) => type === 'process.signalled')
    .map(({ by, detail }) => `${by}: ${detail}`);
}

test('three kills write one signal for one sent', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';

  const kills = [1, 2, 3].map(() => handle.kill({ by: 'agent' }));
  rig.clock.advance(5_000);
  await Promise.all(kills);

  expect(rig.run(0).signals).toEqual(['SIGTERM', 'SIGKILL']);
  expect(signalsOf(handle)).toEqual([
    'agent: SIGTERM to 1 process (1): a kill',
    'supervisor: SIGKILL to 1 process (1): alive at the end of its grace period',
  ]);
});

test('a limit names itself in the timeline', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', timeout: '3s', onTimeout: 'kill' });

  rig.clock.advance(3_000);
  await handle.ended;

  expect(signalsOf(handle)).toEqual(['supervisor: SIGTERM to 1 process (1): its limit timeout of 3s']);
});

test('a restart names its signal and its code', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true, restart: { policy: 'transient' } });

  handle.restart('user');
  await turn();
  rig.run(1).exit({ code: 3 });
  await turn();

  expect(signalsOf(handle)).toEqual(['user: SIGTERM to 1 process (1): a restart']);
  expect(handle.timeline().at(-1)).toMatchObject({
    type: 'process.restarting',
    detail: 'it exited with code 3',
  });
});

test('a process that never started gets no signal', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  rig.supervisor.start({ command: 'x' });
  const queued = rig.supervisor.start({ command: 'x' });

  await queued.kill({ by: 'agent' });

  expect(signalsOf(queued)).toEqual([]);
  expect(queued.timeline().at(-1)).toMatchObject({ type: 'process.ended', by: 'agent', detail: 'killed' });
});

test('a survivor is named with a reason and never killed', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  rig.run(0).obeys = () => false;
  const killing = handle.kill({ grace: 0 });

  rig.clock.advance(2_001);
  const { type, message } = await killing;

  expect(type).toBe('survived');
  expect(message).toContain('still alive: 1 (scripted), which was alive at the last check');
  expect(handle.view()).toMatchObject({
    status: 'stopping',
    because: expect.stringContaining('1 (scripted), which'),
  });
  expect(handle.timeline().at(-1)).toMatchObject({
    type: 'process.survived',
    detail: expect.stringContaining('1 (scripted)'),
  });
});

test('a background start has its time in the view', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', background: true });
  const { startedAt } = handle.view() as { startedAt: number };
  rig.clock.advance(1_000);

  rig.run(0).exit();

  expect(await handle.ended).toMatchObject({ status: 'completed', backgroundedAt: startedAt });
});
