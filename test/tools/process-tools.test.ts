import { expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.ts';
import type { PolicyRequest } from '../../src/policy/policy.ts';
import { arrange, dataOf, errorOf, shown, turns, untilRuns } from './arrange.ts';

const ends = (code: number, text: string, stream: 'stdout' | 'stderr' = 'stdout') => ({
  script: (run: import('../../src/testing/index.ts').ScriptedRun) => {
    run.comeUp();
    run.print(text, stream);
    run.exit({ code });
  },
});

test('the list shows what is alive', async () => {
  await using given = arrange();
  const [ended, alive] = [given.start('make'), given.start('serve')];
  given.backend.runs[0]?.exit({ code: 1 });

  const short = await given.call('list_processes');
  const long = await given.call('list_processes', { include_completed: true });

  expect(short).toMatchObject({
    data: { processes: [{ process_id: alive.id, status: 'backgrounded' }] },
    reveals: [],
  });
  expect(long).toMatchObject({
    data: { processes: [{ process_id: alive.id }, { process_id: ended.id, status: 'failed', exit_code: 1 }] },
    reveals: [`${ended.id}/1/ended`],
  });
});

test('a check looks at what a process waits for', async () => {
  await using given = arrange();
  const { id } = given.start('login', { stdin: 'pipe' });
  given.backend.lastRun.print('Password: ');

  const checked = await given.call('check_process', { process_id: id });

  expect(dataOf(checked)).toMatchObject({ awaits_input: expect.objectContaining({ kind: 'secret' }) });
});

test('a check says how a process is', async () => {
  await using given = arrange();
  const { id } = given.start('make', { label: 'build' });
  given.clock.advance(3_200);

  const running = await given.call('check_process', { process_id: id });
  given.backend.lastRun.exit({ signal: 'SIGSEGV' });
  const ended = await given.call('check_process', { process_id: id });

  expect(running.reveals).toEqual([]);
  expect(shown(running)).toEqual({
    ok: true,
    data: {
      process_id: id,
      label: 'build',
      command: 'make',
      status: 'backgrounded',
      pid: 1,
      runtime_seconds: 3.2,
      output_bytes: 0,
    },
  });
  expect(ended).toMatchObject({
    data: { status: 'failed', exit_code: null, signal: 'SIGSEGV' },
    reveals: [`${id}/1/ended`],
  });
});

test('a kill answers when all is gone', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call('kill_process', { process_id: id });
  const again = await given.call('kill_process', { process_id: id });

  expect(answer).toMatchObject({ ok: true, data: { status: 'killed' }, reveals: [`${id}/1/ended`] });
  expect(given.supervisor.get(id)?.view()).toMatchObject({ reason: { type: 'killed', by: 'agent' } });
  expect(again).toMatchObject({ ok: true, data: { message: expect.stringContaining('is not running') } });
});

test('a command answers with what it printed', async () => {
  await using given = arrange(ends(0, 'hello\n'));

  const answer = await given.call('run_command', { command: 'echo hello' });

  const { process_id } = dataOf(answer);
  expect(answer).toMatchObject({
    data: { exit_code: 0, output: 'hello\n' },
    reveals: [`${process_id}/1/ended`],
  });
});

test('a command that fails is an error with its words', async () => {
  await using given = arrange(ends(2, 'no such file\n', 'stderr'));

  const answer = await given.call('run_command', { command: 'cat x' });

  expect(errorOf(answer)).toMatch(/^Process tool_\w+ exited with code 2\.$/);
  expect(shown(answer)).toMatchObject({ data: { exit_code: 2, signal: null, output: 'no such file\n' } });
  expect(answer.reveals).toHaveLength(1);
});

test.for([
  ['run_command', {}, 0],
  ['run_command', {}, 1],
  ['background_process', { action: 'spawn', wait: true }, 0],
  ['background_process', { action: 'spawn', wait: true }, 1],
] as const)('%s shows both streams in order of arrival (%j, code %i)', async ([tool, more, code]) => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.print('FAIL one\n');
      run.print('a warning\n', 'stderr');
      run.print('FAIL two\n');
      run.children = [{ pid: 4_000_001, pgid: 4_000_000, startedAt: '1', command: 'serve' }];
      run.exit({ code });
    },
  });

  const answer = await given.call(tool, { ...more, command: 'npm test' });

  expect(shown(answer)).toMatchObject({
    ok: code === 0,
    data: {
      exit_code: code,
      signal: null,
      output: 'FAIL one\na warning\nFAIL two\n',
      leftovers: [{ pid: 4_000_001, command: 'serve', ports: [] }],
    },
  });
});

test('a command that goes to the background shows its output so far', async () => {
  await using given = arrange();
  const pending = await given.begin('run_command', { command: 'make', timeout_seconds: 5 });
  given.backend.lastRun.print('compiling\n');
  given.backend.lastRun.print('a warning\n', 'stderr');

  given.clock.advance(5_000);

  const answer = await pending.answer;
  expect(shown(answer)).toMatchObject({ data: { status: 'backgrounded', output: 'compiling\na warning\n' } });
  answer.onRecorded?.();
  const { process_id } = dataOf(answer);
  const read = await given.call('get_process_output', { process_id, since_last_read: true });
  expect(dataOf(read).output).toBe('');
});

test('a slow command continues in the background', async () => {
  await using given = arrange();
  const pending = await given.begin('run_command', { command: 'sleep 60', timeout_seconds: 5 });

  given.clock.advance(5_000);

  const answer = await pending.answer;
  expect(answer).toMatchObject({
    data: { status: 'backgrounded', message: expect.stringContaining('You will get a notice') },
  });
  expect(answer.reveals ?? []).toEqual([]);
  expect(given.supervisor.get(dataOf(answer).process_id)?.status).toBe('backgrounded');
});

test.each([
  ['next-answer', 'also reports its end.'],
  ['none', 'You get no notice when it ends'],
] as const)('an answer promises no notice that wakes: %s', async (notices, words) => {
  await using given = arrange({ wiring: { notices } });
  const started = await given.call('start_process', { command: 'serve' });
  const pending = await given.begin('run_command', { command: 'sleep 60', timeout_seconds: 5 });

  given.clock.advance(5_000);

  const ran = await pending.answer;
  for (const answer of [started, ran]) {
    expect(dataOf(answer).message).toContain(words);
    expect(dataOf(answer).message).not.toContain('You will get a notice');
  }
});

test.for([
  ['start_process', {}],
  ['background_process', { action: 'spawn' }],
] as const)('%s starts what outlives its conversation', async ([tool, more]) => {
  await using given = arrange();

  const kept = await given.call(tool, { ...more, command: 'serve', lifetime: 'parent' });
  const other = await given.call(tool, { ...more, command: 'watch' });

  expect(dataOf(kept)).toMatchObject({ lifetime: 'parent' });
  expect(dataOf(other)).not.toHaveProperty('lifetime');
  expect(given.supervisor.get(dataOf(kept).process_id)?.view().lifetime).toBe('parent');
});

test('a persistent process that cannot be one is an answer', async () => {
  await using given = arrange();

  const answer = await given.call('start_process', { command: 'serve', lifetime: 'persistent' });

  expect(errorOf(answer)).toContain('so no later supervisor could adopt the process');
  expect(given.backend.runs).toEqual([]);
});

test('a refused start is an answer', async () => {
  await using given = arrange({ supervisor: { maxBackgroundProcesses: 1 } });
  given.start('serve');

  const answer = await given.call('start_process', { command: 'serve too' });

  expect(errorOf(answer)).toContain('Maximum background processes (1)');
});

test('the same command is started once, unless forced', async () => {
  await using given = arrange();
  const first = dataOf(await given.call('start_process', { command: 'serve' }));

  const second = await given.call('start_process', { command: 'serve' });
  const forced = await given.call('start_process', { command: 'serve', force: true });

  expect(errorOf(second)).toContain(first.process_id);
  expect(forced.ok).toBe(true);
});

test('a start names the limit that ends it', async () => {
  await using given = arrange({ supervisor: { maxBackgroundTime: '30m' } });
  await using unlimited = arrange();

  const limited = dataOf(await given.call('start_process', { command: 'serve' }));
  const free = dataOf(await unlimited.call('start_process', { command: 'serve' }));

  expect(limited.message).toContain('A time limit ends it in 30m 00s if it has not ended by then.');
  expect(free.message).not.toContain('limit');
});

test('a command without a place names the holders', async () => {
  await using given = arrange({ supervisor: { maxParallelTools: 1 } });
  const holder = given.supervisor.start({ command: 'npm test', timeout: 0, maxExecutionTime: 0 });
  const pending = await given.begin('run_command', { command: 'ls', timeout_seconds: 3 });

  given.clock.advance(3_000);

  const { status, process_id, message } = dataOf(await pending.answer);
  expect(status).toBe('pending');
  expect(message).toMatch(`Process ${process_id} has not started after 3s`);
  expect(message).toContain(`taken by ${holder.id} (npm test, for 3s)`);
});

test('a start waits until it is ready', async () => {
  await using given = arrange();
  const pending = await given.begin('start_process', { command: 'serve', ready_line: 'listening' });
  await untilRuns(given, 1);

  given.backend.lastRun.print('starting\n');
  await turns();
  const answeredBefore = pending.isOver;
  given.backend.lastRun.print('listening on 4711\n');

  expect(answeredBefore).toBe(false);
  expect(await pending.answer).toMatchObject({
    ok: true,
    data: { status: 'backgrounded', ready: 'ready', output: 'starting\nlistening on 4711\n' },
  });
});

test('a start that is never ready says why', async () => {
  await using given = arrange();
  const pending = await given.begin('start_process', {
    command: 'serve',
    ready_line: 'listening',
    ready_within_seconds: 5,
  });
  await untilRuns(given, 1);

  given.clock.advance(5_000);

  expect(dataOf(await pending.answer).ready).toContain('not ready');
});

test('a start that ends at once reveals its end', async () => {
  await using given = arrange(ends(1, 'port in use\n', 'stderr'));

  const answer = await given.call('start_process', { command: 'serve' });

  const { process_id } = dataOf(answer);
  expect(answer).toMatchObject({
    data: { status: 'failed', exit_code: 1, output: 'port in use\n' },
    reveals: [`${process_id}/1/ended`],
  });
});

test('input is written to a process that takes it', async () => {
  await using given = arrange();
  const { process_id } = dataOf(await given.call('start_process', { command: 'cat', stdin: true }));

  const line = await given.call('write_process', { process_id, input: 'yes' });
  const raw = await given.call('write_process', { process_id, input: 'no', newline: false });
  const end = await given.call('write_process', { process_id, end_input: true });

  expect(given.backend.lastRun.input).toBe('yes\nno');
  expect(dataOf(line)).toMatchObject({ bytes_written: 4 });
  expect(dataOf(raw)).toMatchObject({ bytes_written: 2 });
  expect(dataOf(end).message).toBe('Wrote 0 bytes, then end-of-file.');
});

test('a line break is not doubled', async () => {
  await using given = arrange();
  const { id } = given.start('cat', { stdin: 'pipe' });

  await given.call('write_process', { process_id: id, input: 'yes\n' });

  expect(given.backend.lastRun.input).toBe('yes\n');
});

test('a process without input says what to do', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call('write_process', { process_id: id, input: 'yes' });

  expect(errorOf(answer)).toBe(
    `Process ${id} takes no input: its stdin is closed. Start it again with start_process and stdin: true to write to it.`,
  );
});

test('a write to an ended process is an answer', async () => {
  await using given = arrange();
  const { id } = given.start('cat', { stdin: 'pipe' });
  given.backend.lastRun.exit();

  const answer = await given.call('write_process', { process_id: id, input: 'yes' });

  expect(errorOf(answer)).toContain('is not running (status completed)');
  expect(answer.reveals).toEqual([`${id}/1/ended`]);
});

test('a restart runs the command again under its id', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call('restart_process', { process_id: id });

  expect(given.backend.runs).toHaveLength(2);
  expect(given.backend.lastRun.isUp).toBe(true);
  expect(answer).toMatchObject({
    data: { process_id: id, status: 'backgrounded', message: `Process ${id} runs again, as attempt 2.` },
    reveals: [],
  });
});

test('an ended process is not restarted', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  given.backend.lastRun.exit();

  const answer = await given.call('restart_process', { process_id: id });

  expect(errorOf(answer)).toContain('start its command again as a new process');
  expect(given.backend.runs).toHaveLength(1);
});

test('a refused duplicate names no field of another tool', async () => {
  await using given = arrange();
  await given.call('bg_start', { command: 'serve' });

  const refused = await given.call('bg_start', { command: 'serve' });

  expect(errorOf(refused)).toContain('already runs in the background');
  expect(errorOf(refused)).not.toContain('force');
});

test.each([
  [{ workspaceHeldBy: 'sandbox' }, undefined],
  [{ workspaceHeldBy: 'check' }, false],
  [{}, false],
])('a restart of a process with %j is judged with sandbox %j', async (metadata, sandbox) => {
  const policy = createPolicy({ mode: 'dangerous' });
  const requests: PolicyRequest[] = [];
  const decide: typeof policy.decide = (request) => {
    requests.push(request);
    return policy.decide(request);
  };
  await using given = arrange({ wiring: { policy: { ...policy, decide } } });
  const { id } = given.supervisor.start({ command: 'serve', owner: 'agent', background: true, metadata });

  await given.call('restart_process', { process_id: id });

  expect(requests).toHaveLength(1);
  expect(requests[0]?.start).toMatchObject({ command: 'serve' });
  expect(requests[0]?.start?.sandbox).toBe(sandbox);
});

test('a signal is sent, and the answer says whom it reached', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call('signal_process', { process_id: id, signal: 'SIGHUP' });

  expect(shown(answer)).toMatchObject({
    ok: true,
    data: { process_id: id, status: 'backgrounded', message: `SIGHUP was sent to 1 process of ${id}.` },
  });
  expect(given.backend.lastRun.signals).toEqual(['SIGHUP']);
});

test('a check says that a process is paused', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  await given.call('signal_process', { process_id: id, signal: 'SIGSTOP' });

  const paused = await given.call('check_process', { process_id: id });
  await given.call('signal_process', { process_id: id, signal: 'SIGCONT' });
  const resumed = await given.call('check_process', { process_id: id });

  expect(dataOf(paused)).toMatchObject({ paused: true });
  expect(dataOf(resumed)).not.toHaveProperty('paused');
});

test.each([
  ['SIGKILL', 'kill it instead'],
  ['HUP!', 'there is no signal "HUP!"'],
])('the signal %s is refused before the policy is asked', async (signal, problem) => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await given.call('signal_process', { process_id: id, signal });

  expect(errorOf(answer)).toContain(problem);
  expect(given.backend.lastRun.signals).toEqual([]);
});

test('a policy that forbids to kill forbids signals', async () => {
  await using given = arrange({ wiring: { policy: createPolicy({ mode: 'plan' }) } });
  const { id } = given.start('serve');

  const answer = await given.call('signal_process', { process_id: id, signal: 'SIGHUP' });

  expect(answer.ok).toBe(false);
  expect(given.backend.lastRun.signals).toEqual([]);
});
