import { afterEach, expect, test, vi } from 'vitest';
import { createVirtualHarness, turn } from '../support/virtual.ts';

afterEach(() => void vi.restoreAllMocks());

const boom = () => {
  throw new Error('boom');
};

test('a subscriber that throws does not disturb the others', async () => {
  await using rig = createVirtualHarness();
  const { supervisor } = rig;
  const handle = supervisor.start({ command: 'x' });
  const other = supervisor.start({ command: 'y' });
  const seen: string[] = [];
  handle.status$.subscribe(boom);
  handle.view$.subscribe(boom);
  handle.output$.subscribe(boom);
  handle.lines$.subscribe(boom);
  handle.status$.subscribe((status) => seen.push(status));

  rig.run(0).print('line\n');
  rig.run(0).exit();
  await turn();

  expect(handle.status).toBe('completed');
  expect(seen).toEqual(['running', 'completed']);
  expect(other.status).toBe('running');
  expect(rig.count('process.faulted')).toBe(4);
});

test('a supervisor stream continues despite a broken subscriber', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await using rig = createVirtualHarness();
  const { supervisor } = rig;
  supervisor.events$.subscribe(boom);
  supervisor.completions$.subscribe(boom);
  supervisor.processes$.subscribe(boom);

  for (let index = 0; index < 3; index += 1) {
    supervisor.start({ command: 'x' });
    rig.run(index).exit();
    await turn();
  }

  expect(rig.count('process.ended')).toBe(3);
  expect(supervisor.list().map(({ status }) => status)).toEqual(Array(3).fill('completed'));
  expect(warn.mock.calls.map(([warning]) => (warning as Error).message)).toEqual(Array(3).fill('boom'));
});

test('a subscriber may start and kill in its callback', async () => {
  await using rig = createVirtualHarness();
  const { supervisor } = rig;
  let restarts = 0;
  supervisor.completions$.subscribe(() => {
    restarts += 1;
    if (restarts < 5) void supervisor.start({ command: 'again' }).kill();
  });

  supervisor.start({ command: 'x' });
  rig.run(0).exit();
  for (let index = 0; index < 20; index += 1) await turn();

  expect(restarts).toBe(5);
  expect(supervisor.list({ live: true })).toEqual([]);
});

test('a backend that throws loses only its process', async () => {
  await using rig = createVirtualHarness({
    script: (run) => {
      run.comeUp();
      if (run.request.work.type === 'shell' && run.request.work.script === 'bad') boom();
    },
    maxParallelTools: 1,
  });
  const { supervisor } = rig;

  const bad = await supervisor.start({ command: 'bad' }).ended;
  const good = supervisor.start({ command: 'good' });

  expect(bad).toMatchObject({
    status: 'lost',
    reason: { type: 'lost', why: expect.stringContaining('boom') },
  });
  expect(good.status).toBe('running');
});

test('a backend that says too much changes nothing', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  const run = rig.run(0);
  run.tell({ type: 'process.spawned', pid: 77, pgid: 77 });
  run.tell({ type: 'tree.gone', ended: [] });
  run.tell({ type: 'output.quieted' });
  expect(handle.view()).toMatchObject({ status: 'running', pid: 1 });
  run.exit();
  run.tell({ type: 'process.exited', exit: { code: 9, signal: null } });
  run.tell({ type: 'process.lost', why: 'after all' });
  await turn();

  expect(handle.view()).toMatchObject({ status: 'completed', exit: { code: 0 } });
  expect(rig.count('process.ended')).toBe(1);
});

test('a lost process says why', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });

  rig.run(0).tell({ type: 'process.lost', why: 'the host is gone' });

  expect(await handle.ended).toMatchObject({
    status: 'lost',
    exit: null,
    reason: { type: 'lost', why: 'the host is gone' },
  });
});

test('supervisors in one program do not know each other', async () => {
  await using first = createVirtualHarness({ maxBackgroundProcesses: 1 });
  const second = createVirtualHarness({ maxBackgroundProcesses: 1 });
  const mine = first.supervisor.start({ command: 'x', background: true });
  const theirs = second.supervisor.start({ command: 'x', background: true, onDuplicate: 'refuse' });

  expect(first.supervisor.get(theirs.id)).toBeUndefined();
  expect((await first.supervisor.kill(theirs.id)).type).toBe('notFound');
  await second.supervisor.shutdown();

  expect(theirs.status).toBe('killed');
  expect(mine.status).toBe('backgrounded');
  expect(first.supervisor.list()).toHaveLength(1);
  expect(first.count('process.ended')).toBe(0);
});

test('lists are by owner and by life', async () => {
  await using rig = createVirtualHarness();
  const { supervisor } = rig;
  const mine = supervisor.start({ command: 'a', owner: 'conversation-1' });
  const theirs = supervisor.start({ command: 'b', owner: 'conversation-2' });
  rig.run(0).exit();
  await mine.ended;

  expect(supervisor.list({ owner: 'conversation-1' }).map(({ id }) => id)).toEqual([mine.id]);
  expect(supervisor.list({ live: true }).map(({ id }) => id)).toEqual([theirs.id]);
  expect(supervisor.list().map(({ id }) => id)).toEqual([theirs.id, mine.id]);
});
