import { expect, test } from 'vitest';
import { arrange, dataOf, errorOf, shown } from './arrange.ts';

test('output is read from its end', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print('1\n2\n3\n');

  const answer = await given.call('get_process_output', { process_id: id, tail: 2 });

  expect(shown(answer)).toEqual({
    ok: true,
    data: { process_id: id, status: 'backgrounded', output: '2\n3\n' },
  });
});

test('unless told otherwise the last hundred lines are read', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print(Array.from({ length: 150 }, (_, index) => `${index + 1}\n`).join(''));

  const answer = await given.call('get_process_output', { process_id: id });

  expect(dataOf(answer).output.split('\n').slice(0, 1)).toEqual(['51']);
});

test('a read that was recorded is not repeated', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  const readNew = () => given.call('get_process_output', { process_id: id, since_last_read: true });
  given.backend.lastRun.print('1\n');
  (await readNew()).onRecorded?.();
  given.backend.lastRun.print('2\n');

  const second = await readNew();
  second.onRecorded?.();
  const third = await readNew();

  expect(dataOf(second).output).toBe('2\n');
  expect(dataOf(third).output).toBe('');
});

test('a read that was never recorded is repeated', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print('1\n');

  const lost = await given.call('get_process_output', { process_id: id, since_last_read: true });
  const again = await given.call('get_process_output', { process_id: id, since_last_read: true });

  expect(dataOf(lost).output).toBe('1\n');
  expect(dataOf(again).output).toBe('1\n');
});

test('output shown by a start counts as read', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.print('starting\n');
    },
  });
  const started = await given.call('start_process', { command: 'serve' });
  started.onRecorded?.();

  const { process_id } = dataOf(started);
  const read = await given.call('get_process_output', { process_id, since_last_read: true });

  expect(dataOf(started).output).toBe('starting\n');
  expect(dataOf(read).output).toBe('');
});

test('two owners read apart', async () => {
  await using given = arrange();
  await using other = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print('1\n');
  (await given.call('get_process_output', { process_id: id })).onRecorded?.();

  const reader = given.supervisor.get(id)?.reader('somebody');

  expect(reader?.read().text).toBe('1\n');
  expect(given.supervisor.get(id)?.reader('agent').read().text).toBe('');
  expect(other.supervisor.list()).toEqual([]);
});

test('a stream is read without the other', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.print('out\n');
  given.backend.lastRun.print('err\n', 'stderr');

  const errors = await given.call('get_process_output', {
    process_id: id,
    stream: 'stderr',
    since_last_read: true,
  });
  errors.onRecorded?.();
  const rest = await given.call('get_process_output', { process_id: id, since_last_read: true });

  expect(dataOf(errors).output).toBe('err\n');
  expect(dataOf(rest).output).toBe('out\n');
});

test('a search shows matching lines with their surroundings', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.print('a\nError: x\nb\nc\nerror: y\n');

  const found = await given.call('get_process_output', {
    process_id: id,
    grep: 'ERROR',
    ignore_case: true,
    context: 1,
  });
  const wrong = await given.call('get_process_output', { process_id: id, grep: '(' });

  expect(dataOf(found).output).toBe('a\nError: x\nb\nc\nerror: y\n');
  expect(errorOf(wrong)).toContain('Nothing was read: the pattern "(" is not a regular expression');
});

test('a search leaves unread what it did not show', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.print('a\nerror\n');
  const found = await given.call('get_process_output', { process_id: id, grep: 'error' });
  found.onRecorded?.();

  const read = await given.call('get_process_output', { process_id: id, since_last_read: true });

  expect(dataOf(read).output).toBe('a\nerror\n');
});

test('a page says that there is more', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print('1\n2\n3\n4\n');

  const page = await given.call('get_process_output', { process_id: id, offset: 1, limit: 2 });

  expect(dataOf(page)).toMatchObject({ output: '2\n3\n', more: true });
});

test('a read that shows the end reveals it, also when cut', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.print('line\n'.repeat(100));
  const progress = await given.call('get_process_output', { process_id: id });
  given.backend.lastRun.print(Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join(''));
  given.backend.lastRun.exit();

  const answer = await given.call('get_process_output', { process_id: id, tail: 20_000 });

  expect(progress.reveals).toEqual([]);
  expect(answer).toMatchObject({
    data: { status: 'completed', exit_code: 0, truncated: true },
    reveals: [`${id}/1/ended`],
  });
});

test('the timeline names the reader', async () => {
  await using given = arrange();
  const handle = given.start('make');

  await given.call('get_process_output', { process_id: handle.id, since_last_read: true });

  expect(handle.timeline()).toContainEqual(expect.objectContaining({ type: 'process.read', by: 'agent' }));
});
