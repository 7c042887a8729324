import { expect, test } from 'vitest';
import { arrange, dataOf, errorOf, turns } from './arrange.ts';

const name = 'background_process';

test('a spawned process is looked after by its handle', async () => {
  await using given = arrange();
  const spawned = dataOf(
    await given.call(name, { action: 'spawn', command: 'serve', workdir: '/srv', label: 'web' }),
  );
  const handle = spawned.process_id;
  given.backend.lastRun.print('1\n2\n3\n');

  const status = await given.call(name, { action: 'status', handle });
  const last = await given.call(name, { action: 'log', handle, limit: 1 });
  const page = await given.call(name, { action: 'log', handle, offset: 1, limit: 1 });
  const list = await given.call(name, { action: 'list' });
  const killed = await given.call(name, { action: 'kill', handle });

  expect(given.backend.lastRun.request.cwd).toBe('/srv');
  expect(dataOf(status)).toMatchObject({ process_id: handle, label: 'web', status: 'backgrounded' });
  expect(dataOf(last).output).toBe('3\n');
  expect(dataOf(page).output).toBe('2\n');
  expect(dataOf(list).processes).toHaveLength(1);
  expect(killed).toMatchObject({ data: { status: 'killed' }, reveals: [`${handle}/1/ended`] });
});

test('a spawn that waits answers with the output', async () => {
  await using given = arrange();
  const pending = await given.begin(name, { action: 'spawn', command: 'make', wait: true });

  given.backend.lastRun.print('built\n');
  given.backend.lastRun.exit();

  expect(dataOf(await pending.answer)).toMatchObject({ status: 'completed', output: 'built\n' });
});

test('a spawned process ends at its time-out', async () => {
  await using given = arrange();
  await given.call(name, { action: 'spawn', command: 'a' });
  await given.call(name, { action: 'spawn', command: 'b', timeout_seconds: 10 });

  given.clock.advance(10_000);
  await turns();
  const at10s = given.backend.runs.map(({ isUp }) => isUp);
  given.clock.advance(1_790_000);
  await turns();

  expect(at10s).toEqual([true, false]);
  expect(given.backend.runs.map(({ isUp }) => isUp)).toEqual([false, false]);
});

test('a spawn that waits ends at its time-out, too', async () => {
  await using given = arrange();
  const input = { action: 'spawn', command: 'make', wait: true, timeout_seconds: 2 };
  const pending = await given.begin(name, input);

  given.clock.advance(2_000);
  await turns();

  expect(errorOf(await pending.answer)).toContain('maxExecutionTime');
  expect(given.backend.lastRun.isUp).toBe(false);
});

test('an interactive process takes input where there is no terminal', async () => {
  await using given = arrange();
  const started = dataOf(await given.call(name, { action: 'spawn', command: 'python3', interactive: true }));
  const handle = started.process_id;

  await given.call(name, { action: 'write', handle, input: 'print(1)', press_enter: true });
  const keys = await given.call(name, { action: 'send_keys', handle, keys: 'C-c' });
  const screen = await given.call(name, { action: 'capture', handle });

  expect(started.message).toContain('It has pipes instead of a terminal');
  expect(given.backend.lastRun.input).toBe('print(1)\n');
  expect(errorOf(keys)).toContain('use the action write');
  expect(errorOf(screen)).toContain('with the action log');
  expect(keys).toMatchObject({ worked: true });
});

test('a write without a pipe says what to do', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call(name, { action: 'write', handle: id, input: 'x' });

  expect(errorOf(answer)).toContain('Spawn it again with interactive: true');
});

test('a call needs the permission of its action', async () => {
  await using given = arrange();
  const tool = given.wiring.tools.find((each) => each.name === name);

  const intents = [
    { action: 'spawn', command: 'rm x', workdir: 'src' },
    { action: 'list' },
    { action: 'send_keys', handle: 'x', keys: 'C-c' },
  ].map((input) => tool?.prepare(input));

  expect(intents).toMatchObject([
    { intent: { permission: 'start', start: { command: 'rm x', cwd: 'src' } } },
    { intent: { permission: 'list' } },
    { intent: { permission: 'keys' } },
  ]);
});

test('the small tool speaks of pids', async () => {
  await using given = arrange();
  const started = dataOf(await given.call('process', { action: 'start', command: 'serve' }));
  given.backend.lastRun.print('1\n2\n');

  const status = await given.call('process', { action: 'status', pid: started.pid });
  const output = await given.call('process', { action: 'output', pid: started.pid, tail: 1 });
  const bySystem = await given.call('process', { action: 'status', pid: 1 });
  const stopped = await given.call('process', { action: 'stop', pid: started.pid });
  const list = await given.call('process', { action: 'list' });

  expect(started.pid).toMatch(/^tool_/);
  expect(dataOf(status)).toMatchObject({ pid: started.pid, os_pid: 1, status: 'backgrounded' });
  expect(dataOf(output)).toMatchObject({ pid: started.pid, output: '2\n' });
  expect(dataOf(bySystem).pid).toBe(started.pid);
  expect(dataOf(stopped)).toMatchObject({ pid: started.pid, status: 'killed' });
  expect(dataOf(list).processes).toMatchObject([{ pid: started.pid, status: 'killed' }]);
});

test("the system's number of a foreign process is not found", async () => {
  await using given = arrange();
  given.start('serve', { owner: 'somebody' });

  const answer = await given.call('process', { action: 'stop', pid: '1' });

  expect(errorOf(answer)).toContain('Process 1 not found.');
  expect(given.backend.lastRun.signals).toEqual([]);
});
