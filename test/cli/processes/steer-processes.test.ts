import { expect, test } from 'vitest';
import { cleanRecords } from '../../../src/cli/verbs/clean.ts';
import { extendLimits } from '../../../src/cli/verbs/extend.ts';
import { signalEach } from '../../../src/cli/verbs/pause.ts';
import { restartProcesses } from '../../../src/cli/verbs/restart.ts';
import { showProcess } from '../../../src/cli/verbs/show.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

function scene() {
  const fake = fakeIo();
  const state = fakeStateDirectory([
    { view: processView({ id: 'tool_a', label: 'server' }) },
    { view: endedView({ id: 'tool_over' }) },
  ]);
  return { ...fake, ...state };
}

test('restart restarts only running processes', async () => {
  const { io, open, orders, stdout, stderr } = scene();

  const code = await restartProcesses({ words: ['server', 'tool_over'], flags: {}, io, open });

  expect(code).toBe(1);
  expect(orders).toEqual([{ restart: 'tool_a' }, { restart: 'tool_over' }, 'close']);
  expect(stdout()).toBe('Process tool_a is restarting.\n');
  expect(stderr()).toContain('tool_over cannot be restarted: it has ended');
});

test('pause prints the answer of each process', async () => {
  const { io, open, orders, stdout, stderr } = scene();
  const call = { words: ['server', 'missing'], flags: {}, io, open };

  const code = await signalEach({ ...call, act: (state, id) => state.pause(id) });

  expect(code).toBe(1);
  expect(orders).toEqual([{ pause: 'tool_a' }, 'close']);
  expect(stdout()).toBe('Process tool_a is paused (1 process).\n');
  expect(stderr()).toContain('missing');
});

test('a refused resume fails and says why', async () => {
  const { io, open, stdout, stderr } = scene();
  const call = { words: ['tool_over'], flags: {}, io, open };

  const code = await signalEach({ ...call, act: (state, id) => state.resume(id) });

  expect([code, stdout()]).toEqual([1, '']);
  expect(stderr()).toContain('Process tool_over was not signalled: it exited with code 0.');
});

test('signal prints one array as JSON', async () => {
  const { io, open, stdout } = scene();
  const call = { words: ['server'], flags: { json: true }, io, open };

  const code = await signalEach({
    ...call,
    act: (state, id) => state.signal(id, { signal: 'SIGHUP', to: 'tree' }),
  });

  expect(code).toBe(0);
  expect(JSON.parse(stdout())).toEqual([
    { id: 'tool_a', ok: true, pids: [4711], message: 'SIGHUP was sent to 1 process of tool_a.' },
  ]);
});

test('extend sets and removes limits', async () => {
  const { io, open, orders, stdout } = scene();
  const flags = { maxTime: '2h', maxBackgroundTime: 'none', timeout: '90' };

  const code = await extendLimits({ word: 'server', flags, io, open });

  expect(code).toBe(0);
  expect(orders[0]).toEqual({
    changeLimits: 'tool_a',
    timeout: 90_000,
    maxExecutionTime: 7_200_000,
    maxBackgroundTime: 0,
  });
  expect(stdout()).toBe(
    'tool_a (server): --timeout is 1m 30s, --max-time is 2h 00m, --max-background-time is off.\n',
  );
});

test('extend fails for an ended process', async () => {
  const { io, open, stderr } = scene();

  const code = await extendLimits({ word: 'tool_over', flags: { maxTime: '2h' }, io, open });

  expect(code).toBe(1);
  expect(stderr()).toContain('tool_over has ended');
});

test.each([
  [{}, 'No limit was named'],
  [{ maxTime: 'soon' }, '--max-time is "soon"'],
])('extend refuses %j', (flags, problem) => {
  const { io, open } = scene();

  expect(() => extendLimits({ word: 'server', flags, io, open })).toThrow(problem);
});

test.each([
  [{}, 'Removed 2 ended processes and 1 log, 2.0 KiB.\n'],
  [{ all: true, dryRun: true }, 'Would remove 2 ended processes and 1 log, 2.0 KiB.\n'],
])('clean with %j prints what it removed', async (flags, told) => {
  const { io, open, orders, stdout } = scene();

  const code = await cleanRecords({ flags, io, open });

  expect(code).toBe(0);
  expect(orders[0]).toEqual({ sweep: { all: false, dryRun: false, ...flags } });
  expect(stdout()).toBe(told);
});

test('show prints a process with its timeline', async () => {
  const { io, open, stdout } = scene();

  const code = await showProcess({ word: 'server', flags: {}, io, open });

  expect(code).toBe(0);
  expect(stdout()).toContain('  tool_a (server)\n  status     backgrounded\n');
  expect(stdout()).toContain('  supervisor sup_1\n');
  expect(stdout().endsWith('  +0 ms      created\n')).toBe(true);
});

test('show --json prints view and timeline', async () => {
  const { io, open, stdout } = scene();

  await showProcess({ word: 'tool_over', flags: { json: true }, io, open });

  expect(JSON.parse(stdout())).toMatchObject({
    view: { id: 'tool_over', status: 'failed' },
    timeline: [{ at: 0, type: 'process.created' }],
  });
});
