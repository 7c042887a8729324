import { expect, test } from 'vitest';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const member = { pid: 4_000_000, pgid: 4_000_000, startedAt: '1', command: 'stuck' };

test('a shutdown ends what runs and what waits', async () => {
  const rig = createVirtualHarness({ maxParallelTools: 1 });
  const { supervisor } = rig;
  const running = supervisor.start({ command: 'a' });
  const waiting = supervisor.start({ command: 'b' });
  const background = supervisor.start({ command: 'c', background: true });

  const report = await supervisor.shutdown();

  expect(running.view()).toMatchObject({ status: 'killed', reason: { type: 'killed', by: 'supervisor' } });
  expect(waiting.view()).toMatchObject({ status: 'killed', reason: { type: 'cancelled', by: 'supervisor' } });
  expect(background.status).toBe('killed');
  expect([...report.ended].sort()).toEqual([running.id, waiting.id, background.id].sort());
  expect(report.survivors).toEqual([]);
});

test('a second shutdown gets the same report', async () => {
  const { supervisor } = createVirtualHarness();
  supervisor.start({ command: 'a' });

  const [first, second] = await Promise.all([supervisor.shutdown(), supervisor.shutdown()]);

  expect(second).toBe(first);
  expect(await supervisor.shutdown()).toBe(first);
});

test('a start during or after a shutdown is refused', async () => {
  const rig = createVirtualHarness();
  const { supervisor } = rig;
  supervisor.start({ command: 'a' });
  const done = supervisor.shutdown();

  expect(() => supervisor.start({ command: 'b' })).toThrow(
    expect.objectContaining({ code: 'shutting-down' }),
  );
  await done;

  expect(() => supervisor.start({ command: 'b' })).toThrow(
    expect.objectContaining({ code: 'shutting-down' }),
  );
  expect(await supervisor.execute({ command: 'b' })).toMatchObject({
    type: 'refused',
    error: { code: 'shutting-down' },
  });
  expect(rig.backend.runs).toHaveLength(1);
});

test('a process that ignores SIGTERM is killed at the end of the grace period', async () => {
  const rig = createVirtualHarness({ shutdownGrace: 3_000, killGrace: 60_000 });
  const { supervisor, clock } = rig;
  const handle = supervisor.start({ command: 'a' });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  const done = supervisor.shutdown();

  clock.advance(2_999);
  expect(handle.status).toBe('stopping');
  clock.advance(1);
  const report = await done;

  expect(rig.run(0).signals).toEqual(['SIGTERM', 'SIGKILL']);
  expect(handle.view()).toMatchObject({ status: 'killed', reason: { escalated: true } });
  expect(report.durationMs).toBe(3_000);
});

test('a stop with a longer grace does not hold up a shutdown', async () => {
  const rig = createVirtualHarness({ shutdownGrace: 1_000, killGrace: '10m' });
  const { supervisor, clock } = rig;
  const handle = supervisor.start({ command: 'a' });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  void handle.kill();

  const done = supervisor.shutdown();
  clock.advance(1_000);
  await turn();

  expect(handle.status).toBe('killed');
  expect((await done).survivors).toEqual([]);
});

test('a shutdown is bounded and names the survivors', async () => {
  const rig = createVirtualHarness({ shutdownGrace: 1_000 });
  const { supervisor, clock } = rig;
  const stuck = supervisor.start({ command: 'a' });
  const other = supervisor.start({ command: 'b' });
  rig.run(0).obeys = () => false;
  rig.run(0).children = [member];

  const done = supervisor.shutdown();
  clock.advance(10_000);
  const report = await done;

  expect(report.ended).toEqual([other.id]);
  expect(report.survivors).toMatchObject([{ id: stuck.id, members: expect.arrayContaining([member]) }]);
  expect(report.durationMs).toBeLessThanOrEqual(10_000);
  expect(stuck.view()).toMatchObject({ status: 'stopping', survivors: expect.arrayContaining([member]) });
});

test('a restarting process is not started again', async () => {
  const rig = createVirtualHarness();
  const { supervisor, clock } = rig;
  const service = supervisor.start({ command: 'a', background: true, restart: { policy: 'permanent' } });
  rig.run(0).exit();
  await turn();
  expect(service.status).toBe('restarting');

  await supervisor.shutdown();
  clock.advance(3_600_000);

  expect(service.status).toBe('killed');
  expect(rig.backend.runs).toHaveLength(1);
});

test('streams complete once, with the report last', async () => {
  const rig = createVirtualHarness();
  const { supervisor } = rig;
  const completed: string[] = [];
  supervisor.events$.subscribe({ complete: () => completed.push('events$') });
  supervisor.completions$.subscribe({ complete: () => completed.push('completions$') });
  supervisor.processes$.subscribe({ complete: () => completed.push('processes$') });
  const { id } = supervisor.start({ command: 'a' });
  const ends: string[] = [];
  supervisor.completions$.subscribe((completion) => ends.push(completion.id));

  const report = await supervisor.shutdown();

  expect(completed.sort()).toEqual(['completions$', 'events$', 'processes$']);
  expect(ends).toEqual([`${id}/1/ended`]);
  expect(rig.events.at(-1)).toMatchObject({ type: 'supervisor.stopped', report });
  expect(rig.count('process.ended')).toBe(1);
});

test('a shutdown leaves no timer', async () => {
  const rig = createVirtualHarness({ timeout: '1h' });
  const { supervisor, clock } = rig;
  for (let count = 0; count < 10; count += 1) supervisor.start({ command: 'a', background: count % 2 === 0 });

  await supervisor.shutdown();

  expect(clock.pending).toBe(0);
});

test('an empty supervisor shuts down at once', async () => {
  const { supervisor } = createVirtualHarness();

  expect(await supervisor.shutdown()).toEqual({ durationMs: 0, left: [], ended: [], survivors: [] });
});
