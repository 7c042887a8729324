import { expect, test } from 'vitest';
import { arrange, dataOf, errorOf, turns, untilRuns } from './arrange.ts';

test('an interrupted command continues in the background', async () => {
  await using given = arrange();
  const pending = await given.begin('run_command', { command: 'make' });
  await untilRuns(given, 1);

  given.interruption.abort();

  const data = dataOf(await pending.answer);
  expect(data).toMatchObject({
    status: 'backgrounded',
    message: expect.stringMatching(/^Interrupted: .* continues in the background/),
  });
  expect(given.supervisor.get(data.process_id)?.status).toBe('backgrounded');
  expect(given.backend.lastRun.signals).toEqual([]);
});

test('an interrupted command in the queue is never started', async () => {
  await using given = arrange({ supervisor: { maxParallelTools: 1 } });
  await given.begin('run_command', { command: 'first' });
  const pending = await given.begin('run_command', { command: 'second' });
  const started = given.backend.runs.length;

  given.interruption.abort();

  expect(errorOf(await pending.answer)).toContain('nothing was started');
  await turns();
  expect(started).toBe(1);
  expect(given.backend.runs).toHaveLength(1);
  expect(given.supervisor.list({ live: true })).toHaveLength(1);
});

test('an interrupted call starts nothing', async () => {
  await using given = arrange();
  given.interruption.abort();

  const answers = [
    await given.call('run_command', { command: 'make' }),
    await given.call('start_process', { command: 'serve' }),
  ];

  for (const answer of answers) expect(errorOf(answer)).toContain('nothing was started');
  expect(given.backend.runs).toEqual([]);
});

test('an interrupted start answers before it is ready', async () => {
  await using given = arrange();
  const pending = await given.begin('start_process', { command: 'serve', ready_line: 'up' });
  await untilRuns(given, 1);
  await turns();
  const waited = !pending.isOver;

  given.interruption.abort();

  const data = dataOf(await pending.answer);
  expect(waited).toBe(true);
  expect(data).toMatchObject({ status: 'backgrounded', ready: 'waiting' });
  expect(data.message).toContain('Interrupted');
});

test('an interrupted kill continues', async () => {
  await using given = arrange();
  const handle = given.start('serve');
  given.backend.lastRun.obeys = (signal) => signal === 'SIGKILL';
  const pending = await given.begin('kill_process', { process_id: handle.id });

  given.interruption.abort();
  const answer = await pending.answer;
  given.clock.advance(5_000);

  expect(dataOf(answer)).toMatchObject({ status: 'stopping' });
  expect(answer.reveals).toEqual([]);
  expect((await handle.ended).status).toBe('killed');
});
