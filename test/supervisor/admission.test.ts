import { expect, test } from 'vitest';
import { toFlagWords } from '../../src/cli/flag-words.ts';
import { toErrorText } from '../../src/config/error-text.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const command = ['scripted'] as const;

test('no more tools run at once than may', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 2 });
  const { supervisor, backend } = rig;

  const handles = Array.from({ length: 4 }, () => supervisor.start({ command: [...command] }));

  expect(handles.map(({ status }) => status)).toEqual(['running', 'running', 'pending', 'pending']);
  expect(handles[2]?.view()).toMatchObject({ status: 'pending', queued: true });
  expect(backend.runs).toHaveLength(2);
});

test('queued processes start first in, first out', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  const [first, second, third] = ['a', 'b', 'c'].map((name) => rig.supervisor.start({ command: [name] }));

  rig.run(0).exit();
  await first?.ended;
  expect([second?.status, third?.status]).toEqual(['running', 'pending']);
  rig.run(1).exit();
  await second?.ended;

  expect(third?.status).toBe('running');
  expect(rig.backend.runs.map(({ request }) => request.id)).toEqual([first?.id, second?.id, third?.id]);
});

test('tools and agents wait in lines of their own', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1, maxParallelAgents: 1 });
  const { supervisor } = rig;

  const tools = [1, 2].map(() => supervisor.start({ command: [...command] }));
  const agents = [1, 2].map(() => supervisor.start({ command: [...command], kind: 'agent' }));

  expect(tools.map(({ status }) => status)).toEqual(['running', 'pending']);
  expect(agents.map(({ status }) => status)).toEqual(['running', 'pending']);
  expect(agents[0]?.id).toMatch(/^agent_/);
});

const endless = { timeout: 0, maxExecutionTime: 0 } as const;

test('the answer to a queued call names the holders of the slots', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  const { supervisor, clock } = rig;
  const holder = supervisor.start({ command: 'npm run dev', ...endless });
  clock.advance(4_000);
  const result = supervisor.execute({ command: 'ls', timeout: '3s' });

  clock.advance(3_000);

  const queued = supervisor.list({ live: true }).find(({ status }) => status === 'pending');
  expect(await result).toMatchObject({
    type: 'queued',
    process: { id: queued?.id },
    message:
      `Process ${queued?.id} has not started after 3s: all 1 slots for foreground commands are taken by ` +
      `${holder.id} (npm run dev, for 7s). It stays queued and starts in the background when a slot is free. ` +
      `To free a slot, end one of these processes; to cancel it, kill ${queued?.id}.`,
  });
});

test('a queued process starts without its caller', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  const { supervisor, clock } = rig;
  const holder = supervisor.start({ command: [...command], ...endless });
  const queued = supervisor.start({ command: [...command], timeout: '3s', maxExecutionTime: '10s' });
  clock.advance(60_000);
  expect(queued.view()).toMatchObject({ status: 'pending', queued: true });

  rig.run(0).exit();
  await holder.ended;

  expect(queued.status).toBe('backgrounded');
  expect(supervisor.start({ command: [...command] }).status).toBe('running');
});

test('the wait for a place counts against the time-out', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  const { supervisor, clock } = rig;
  const holder = supervisor.start({ command: 'npm run dev', ...endless });
  const order = { command: 'ls', timeout: '3s', onTimeout: 'kill' } as const;
  const early = supervisor.execute(order);
  clock.advance(2_000);
  const late = supervisor.start(order);

  clock.advance(1_000);
  const answer = await early;
  rig.run(0).exit();
  await holder.ended;
  clock.advance(2_000);

  expect(answer).toMatchObject({ type: 'timed_out', process: { pid: null } });
  expect(answer).toHaveProperty('message', expect.stringContaining(`taken by ${holder.id} (npm run dev`));
  expect((await late.ended).reason).toEqual({ type: 'timed_out', limit: 'timeout', afterMs: 3_000 });
  expect(rig.backend.runs).toHaveLength(2);
});

test('the hard limit bounds a caller who waits', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  const { supervisor, clock } = rig;
  supervisor.start({ command: 'npm run dev', ...endless });
  const result = supervisor.execute({
    command: 'ls',
    timeout: '3s',
    onTimeout: 'wait',
    maxExecutionTime: '10s',
  });

  clock.advance(10_000);

  expect(await result).toMatchObject({
    type: 'timed_out',
    message: expect.stringContaining('has not started after 10s'),
  });
  expect(rig.backend.runs).toHaveLength(1);
});

test('a move to the background leaves the queue', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1, maxBackgroundProcesses: 1 });
  const { supervisor } = rig;
  supervisor.start({ command: [...command], ...endless });
  const queued = supervisor.start({ command: [...command] });

  queued.background('user');

  expect(queued.status).toBe('backgrounded');
  expect(queued.timeline().map(({ type }) => type)).toEqual([
    'process.created',
    'process.backgrounded',
    'process.started',
  ]);
  const start = () => supervisor.start({ command: [...command], background: true });
  expect(start).toThrow(`(1) reached: ${queued.id}`);
});

test('leftovers hold no place', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1, maxBackgroundProcesses: 1 });
  const { supervisor } = rig;
  for (const background of [false, true]) {
    const handle = supervisor.start({ command: [...command], background });
    rig.backend.lastRun.children = [{ pid: 7, pgid: 7, startedAt: '0', command: 'redis-server' }];
    rig.backend.lastRun.exit();

    expect((await handle.ended).leftovers).toHaveLength(1);
  }

  const next = [false, true].map((background) => supervisor.start({ command: [...command], background }));

  expect(next.map(({ status }) => status)).toEqual(['running', 'backgrounded']);
});

test('a killed process leaves the queue', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  const { supervisor } = rig;
  const [running, doomed, last] = [1, 2, 3].map(() => supervisor.start({ command: [...command] }));

  const answer = await doomed?.kill();
  rig.run(0).exit();
  await running?.ended;

  expect(answer?.type).toBe('cancelled');
  expect(doomed?.view()).toMatchObject({
    status: 'killed',
    startedAt: null,
    exit: null,
    reason: { type: 'cancelled', by: 'user' },
  });
  expect(last?.status).toBe('running');
  expect(rig.backend.runs).toHaveLength(2);
});

test('a background start beyond the limit is refused', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 2 });
  const { supervisor, backend } = rig;
  const start = () => supervisor.start({ command: [...command], background: true });
  const ids = [start().id, start().id];

  expect(start).toThrow(
    `Maximum background processes (2) reached: ${ids.join(', ')}. End one of them with kill(id), run this in the ` +
      'foreground, or raise the option "maxBackgroundProcesses"',
  );

  expect(backend.runs).toHaveLength(2);
  expect(supervisor.list()).toHaveLength(2);
  expect(rig.count('process.created')).toBe(2);
});

test('a refused background start lists at most 20 ids', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 23 });
  const start = () => rig.supervisor.start({ command: [...command], background: true });
  const ids = Array.from({ length: 23 }, () => start().id);

  expect(start).toThrow(`reached: ${ids.slice(0, 20).join(', ')} and 3 more. End one`);
});

test('the refusal of a background start is printed in the words of the command line', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 0 });
  const start = () => rig.supervisor.start({ command: [...command], background: true });
  const refusal = await Promise.resolve().then(start).catch(toErrorText);

  expect(toFlagWords(String(refusal))).toBe(
    'Maximum background processes (0) reached. End one of them with `troupe kill <id>`, or use `troupe run`.',
  );
});

test('a refused start has its code', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 0 });

  const start = () => rig.supervisor.start({ command: [...command], background: true });

  expect(start).toThrow(expect.objectContaining({ name: 'TroupeError', code: 'background-limit' }));
});

test('a promotion goes beyond the limit', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 1, timeout: 1_000 });
  const { supervisor, clock } = rig;
  supervisor.start({ command: [...command], background: true });
  const promoted = [1, 2].map(() => supervisor.start({ command: [...command] }));

  clock.advance(1_000);

  expect(promoted.map(({ status }) => status)).toEqual(['backgrounded', 'backgrounded']);
  const start = () => supervisor.start({ command: [...command], background: true });
  expect(start).toThrow('(1) reached');
  for (const index of [0, 1]) {
    rig.run(index).exit();
    await turn();
    expect(start).toThrow('(1) reached');
  }
  rig.run(2).exit();
  await turn();
  expect(start().status).toBe('backgrounded');
});

test('a promotion frees its foreground slot', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1, timeout: 1_000 });
  const first = rig.supervisor.start({ command: [...command] });
  rig.clock.advance(500);
  const second = rig.supervisor.start({ command: [...command] });

  rig.clock.advance(500);

  expect([first.status, second.status]).toEqual(['backgrounded', 'running']);
});

test('a process keeps its slot while it is stopping', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 1, killGrace: 1_000 });
  const { supervisor, clock } = rig;
  const start = () => supervisor.start({ command: [...command], background: true });
  const stubborn = start();
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';

  const answer = stubborn.kill();
  expect(stubborn.status).toBe('stopping');
  expect(start).toThrow('(1) reached');
  clock.advance(1_000);
  await answer;

  expect(stubborn.status).toBe('killed');
  expect(start().status).toBe('backgrounded');
});

test('a process that failed to start gives its slot back', async () => {
  await using rig = createVirtualHarness({
    maxParallelTools: 1,
    maxBackgroundProcesses: 1,
    script: (run) =>
      run.tell({
        type: 'process.spawnFailed',
        cause: 'missing-program',
        code: 'ENOENT',
        message: 'not there',
      }),
  });
  const { supervisor } = rig;

  for (let count = 0; count < 20; count += 1) {
    const result = await supervisor.execute({ command: [...command] });
    const background = await supervisor.start({ command: [...command], background: true }).ended;

    expect(result).toMatchObject({ type: 'failed', reason: { cause: 'missing-program' } });
    expect(background.reason).toMatchObject({ type: 'spawnFailed', cause: 'missing-program' });
  }
});

test('a restart in the background keeps its slot', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 1 });
  const { supervisor } = rig;
  const start = () => supervisor.start({ command: [...command], background: true });
  const service = supervisor.start({
    command: [...command],
    background: true,
    restart: { policy: 'permanent' },
  });

  rig.run(0).exit();
  await turn();
  expect(service.status).toBe('restarting');

  expect(start).toThrow('(1) reached');
});

test('two hundred random lives leave all slots free', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 3, maxBackgroundProcesses: 400, timeout: 500 });
  const { supervisor, clock } = rig;
  let seed = 7;
  const chance = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };

  for (let index = 0; index < 200; index += 1) {
    const handle = supervisor.start({ command: [...command], background: chance() < 0.3 });
    if (chance() < 0.3) void handle.kill();
    if (chance() < 0.3) handle.background();
    for (const run of rig.backend.runs) if (chance() < 0.2) run.exit({ code: chance() < 0.5 ? 0 : 1 });
    clock.advance(Math.floor(chance() * 300));
    await turn();
    const running = supervisor.list({ live: true }).filter(({ status }) => status === 'running');
    expect(running.length).toBeLessThanOrEqual(3);
  }
  // Freed slots admit more, which are played as well, until none is left.
  for (let left = 200; supervisor.list({ live: true }).length > 0 && left > 0; left -= 1) {
    for (const run of rig.backend.runs) run.exit();
    await turn();
  }

  expect(supervisor.list({ live: true })).toEqual([]);
  const next = [1, 2, 3, 4].map(() => supervisor.start({ command: [...command] }).status);
  expect(next).toEqual(['running', 'running', 'running', 'pending']);
});
