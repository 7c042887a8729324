import { expect, test } from 'vitest';
import { waitFor } from '../../src/tools/sets/process/wait-for.ts';
import { findFreePort, holdPort } from '../readiness/rig.ts';
import { waitUntil } from '../support/os.ts';
import { arrange, dataOf, errorOf, turns } from './arrange.ts';

test('a wait ends with the process', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  const pending = await given.begin('wait_for', { process_id: id });
  const waited = !pending.isOver;

  given.backend.lastRun.exit({ code: 3 });

  expect(waited).toBe(true);
  expect(await pending.answer).toMatchObject({
    data: { status: 'failed', exit_code: 3, result: 'met', met: ['exit'], missing: [] },
    reveals: [`${id}/1/ended`],
  });
});

test('a condition that already holds ends a wait at once', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  given.backend.lastRun.print('done\n');
  given.backend.lastRun.exit();

  const byExit = await given.call('wait_for', { process_id: id });
  const byText = await given.call('wait_for', { process_id: id, text: 'done' });

  expect(dataOf(byExit)).toMatchObject({ met: ['exit'], waited_seconds: 0 });
  expect(dataOf(byText)).toMatchObject({ met: ['text'], matched_line: 'done' });
});

test('a text is found however it is cut', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', { process_id: id, text: 'port 4711' });

  const overs: boolean[] = [];
  for (const character of 'on port 471') {
    given.backend.lastRun.print(character);
    await turns(1);
    overs.push(pending.isOver);
  }
  given.backend.lastRun.print('1, ready\n');

  expect(overs).not.toContain(true);
  expect(dataOf(await pending.answer)).toMatchObject({ met: ['text'], matched_line: 'on port 4711, ready' });
});

test('a prompt without a line break is found', async () => {
  await using given = arrange();
  const { id } = given.start('login');
  const pending = await given.begin('wait_for', { process_id: id, pattern: 'Pass\\w+: ?$' });

  given.backend.lastRun.print('Password: ');

  expect(dataOf(await pending.answer)).toMatchObject({ met: ['pattern'], matched_line: 'Password:' });
});

test('streams are searched apart', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', { process_id: id, text: 'listening', timeout_seconds: 5 });

  given.backend.lastRun.print('liste');
  given.backend.lastRun.print('warning\n', 'stderr');
  given.backend.lastRun.print('ning\n');

  expect(dataOf(await pending.answer).met).toEqual(['text']);
});

test('output that the agent has read is not found again', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  given.backend.lastRun.print('error: one\n');
  const read = await given.call('get_process_output', { process_id: id });
  read.onRecorded?.();

  const pending = await given.begin('wait_for', { process_id: id, text: 'error' });
  const waits = !pending.isOver;
  given.backend.lastRun.print('error: two\n');

  expect(waits).toBe(true);
  expect(dataOf(await pending.answer)).toMatchObject({
    matched_line: 'error: two',
    new_output: 'error: two\n',
  });
});

test('output that the agent has not read is found', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  given.backend.lastRun.print('error: one\n');
  await given.call('get_process_output', { process_id: id });

  const unread = await given.call('wait_for', { process_id: id, text: 'error' });
  unread.onRecorded?.();
  const everything = await given.call('wait_for', { process_id: id, text: 'error', from: 'start' });
  const fromNow = await given.begin('wait_for', { process_id: id, text: 'error', from: 'now' });
  given.interruption.abort();

  expect(dataOf(unread).met).toEqual(['text']);
  expect(dataOf(everything).met).toEqual(['text']);
  expect(dataOf(await fromNow.answer).met).toEqual([]);
});

test('a line that was read in part counts once it continues', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  given.backend.lastRun.print('pass');
  const read = await given.call('get_process_output', { process_id: id });
  read.onRecorded?.();

  const pending = await given.begin('wait_for', { process_id: id, text: 'password' });
  given.backend.lastRun.print('word:');

  expect(dataOf(await pending.answer).met).toEqual(['text']);
});

test('the last output is found before the end', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  const pending = await given.begin('wait_for', { process_id: id, pattern: 'all \\d+ passed' });

  given.backend.lastRun.print('all 12 passed');
  given.backend.lastRun.exit();

  expect(dataOf(await pending.answer)).toMatchObject({
    result: 'met',
    met: ['pattern'],
    status: 'completed',
  });
});

test('a process that ends without it ends the wait', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', { process_id: id, text: 'listening' });

  given.backend.lastRun.exit({ code: 1 });

  expect(await pending.answer).toMatchObject({
    data: {
      result: 'ended',
      missing: ['text'],
      message: 'Not text: the process exited with code 1.',
    },
    reveals: [`${id}/1/ended`],
  });
});

test('a wait for all conditions accepts them one after another', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', {
    process_id: id,
    text: 'listening',
    quiet_seconds: 3,
    mode: 'all',
  });

  given.clock.advance(2_000);
  given.backend.lastRun.print('listening\n');
  await turns();
  given.clock.advance(2_500);
  await turns();
  const early = pending.isOver;
  given.clock.advance(500);

  expect(early).toBe(false);
  expect(dataOf(await pending.answer)).toMatchObject({
    result: 'met',
    met: ['text', 'quiet'],
    waited_seconds: 5,
  });
});

test('quiet counts from the last output', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  given.clock.advance(60_000);
  const pending = await given.begin('wait_for', { process_id: id, quiet_seconds: 10 });

  for (let round = 0; round < 5; round += 1) {
    given.clock.advance(9_000);
    given.backend.lastRun.print('tick\n');
  }
  await turns();
  const whileTicking = pending.isOver;
  given.clock.advance(10_000);

  expect(whileTicking).toBe(false);
  expect(dataOf(await pending.answer)).toMatchObject({ met: ['quiet'], waited_seconds: 55 });
});

test('readiness ends a wait, either way', async () => {
  await using given = arrange();
  const options = { owner: 'agent', background: true } as const;
  const good = given.supervisor.start({ ...options, command: 'a', ready: { line: 'up' } });
  const bad = given.supervisor.start({ ...options, command: 'b', ready: { line: 'up', within: 5_000 } });
  const plain = given.start('c');
  const pending = [];
  for (const { id } of [good, bad, plain])
    pending.push(await given.begin('wait_for', { process_id: id, ready: true }));

  given.backend.runs[0]?.print('up\n');
  given.clock.advance(5_000);

  const [first, second, third] = await Promise.all(pending.map(({ answer }) => answer));
  expect(dataOf(first as never)).toMatchObject({ met: ['ready'], ready: 'ready' });
  expect(dataOf(second as never)).toMatchObject({
    result: 'impossible',
    message: expect.stringContaining('not ready within 5s'),
  });
  expect(dataOf(third as never).message).toContain('it was started without a readiness condition');
});

test('a wait gives up at its time, and kills nothing', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', { process_id: id, text: 'never', timeout_seconds: 7 });

  given.clock.advance(7_000);

  const answer = await pending.answer;
  expect(answer).toMatchObject({
    data: { result: 'timeout', message: 'Not text within 7s. The process continues.' },
    reveals: [],
  });
  expect(given.backend.lastRun.signals).toEqual([]);
});

test('an interruption ends a wait, and kills nothing', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', { process_id: id });

  given.interruption.abort();

  expect(await pending.answer).toMatchObject({
    data: { result: 'interrupted', status: 'backgrounded', message: 'Interrupted. The process continues.' },
    reveals: [],
  });
  expect(given.backend.lastRun.signals).toEqual([]);
});

test('a wait leaves no timer behind', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const before = given.clock.pending;
  const pending = await given.begin('wait_for', { process_id: id, quiet_seconds: 500, text: 'x' });
  const during = given.clock.pending;

  given.backend.lastRun.print('x');
  await pending.answer;

  expect(during).toBe(before + 2);
  expect(given.clock.pending).toBe(before);
});

test('a wait leaves nothing on the process or the signal', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const watched = { added: 0, removed: 0 };
  const { signal } = given.interruption;
  const [add, remove] = [signal.addEventListener, signal.removeEventListener];
  signal.addEventListener = (...parameters: Parameters<typeof add>) => {
    watched.added += 1;
    add.apply(signal, parameters);
  };
  signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
    watched.removed += 1;
    remove.apply(signal, parameters);
  };

  const pending = await given.begin('wait_for', { process_id: id, text: 'x', timeout_seconds: 1 });
  given.clock.advance(1_000);
  await pending.answer;

  expect(watched.added).toBeGreaterThan(0);
  expect(watched.removed).toBe(watched.added);
});

test('an invalid expression is an error at once', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call('wait_for', { process_id: id, pattern: '(' });

  expect(dataOf(answer)).toMatchObject({
    result: 'impossible',
    message: expect.stringContaining('is not a regular expression'),
  });
});

test('an expression that takes for ever ends the wait', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', { process_id: id, pattern: '^(a+)+$' });

  given.backend.lastRun.print(`${'a'.repeat(40)}!\n`);

  expect(dataOf(await pending.answer)).toMatchObject({
    result: 'impossible',
    message: expect.stringContaining('takes too long'),
  });
});

test('a wait says of itself that it waits', () => {
  const prepared = waitFor.prepare({ process_id: 'tool_abcdefgh' });

  expect(prepared).toMatchObject({ ok: true, intent: { permission: 'output', waits: true } });
});

test('a port that is free already ends a wait at once', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const port = await findFreePort();

  const answer = await given.call('wait_for', { process_id: id, port_free: port });

  expect(dataOf(answer)).toMatchObject({ result: 'met', met: ['port_free'], missing: [] });
});

test('an impossible condition is reported at the end of a wait', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const pending = await given.begin('wait_for', {
    process_id: id,
    text: 'never',
    ready: true,
    timeout_seconds: 7,
  });

  given.clock.advance(7_000);

  expect(dataOf(await pending.answer)).toMatchObject({
    result: 'timeout',
    message: expect.stringMatching(
      /^Not text, ready within 7s\. The process continues\. ready: it was started without a readiness condition.*\.$/,
    ),
  });
});

test('a port that another program holds is reported with its holder', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const port = await holdPort('127.0.0.1');
  const pending = await given.begin('wait_for', { process_id: id, port, file: 'made', mode: 'all' });

  await waitUntil(() => {
    given.clock.advance(20);
    return pending.isOver;
  });

  expect(dataOf(await pending.answer)).toMatchObject({
    result: 'impossible',
    missing: ['port', 'file'],
    message: expect.stringContaining(`pid ${process.pid}`),
  });
});

test('an address elsewhere is not asked', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const elsewhere = await given.call('wait_for', { process_id: id, http: 'http://example.org/' });
  const noAddress = await given.call('wait_for', { process_id: id, http: 'here' });

  expect(errorOf(elsewhere)).toContain('an address of this machine');
  expect(errorOf(noAddress)).toContain('an address of this machine');
});

test('a wait for input ends with the prompt', async () => {
  await using given = arrange();
  const { id } = given.start('login', { stdin: 'pipe' });
  const pending = await given.begin('wait_for', { process_id: id, input: true });
  const waits = !pending.isOver;

  given.backend.lastRun.print('Name: ');
  given.clock.advance(300);

  expect(waits).toBe(true);
  expect(dataOf(await pending.answer)).toMatchObject({
    met: ['input'],
    awaits_input: { kind: 'line', certainty: 'hint', prompt: 'Name:' },
    new_output: 'Name: ',
  });
});

test('an answer says how far the process is', async () => {
  await using given = arrange();
  const { id } = given.start('fetch');
  given.backend.lastRun.print('Downloading 12/40\r');

  const answer = await given.call('wait_for', { process_id: id, text: 'Downloading' });

  expect(dataOf(answer)).toMatchObject({ progress: { percent: 30, text: '12/40' } });
});
