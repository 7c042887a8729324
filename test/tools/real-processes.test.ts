import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createToolHost } from '../../src/tools/tool-host.ts';
import { isAlive, waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { allTools, dataOf, shown } from './arrange.ts';

/** The tools on processes of the system. */
function openTools() {
  const stage = openRealHarness();
  const interruption = new AbortController();
  const { supervisor } = stage;
  const host = createToolHost({ supervisor, tools: allTools, owner: 'agent', policy: { mode: 'dangerous' } });
  const call = async (name: string, input: unknown) =>
    (await host.call({ name, input }, { signal: interruption.signal })).answer;
  return { ...stage, stage, interruption, call, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

test('a command runs in the shell and answers', async () => {
  await using given = openTools();

  const good = await given.call('run_command', { command: 'echo "$((6 * 7))" | cat' });
  const bad = await given.call('run_command', { command: 'ls /nowhere-at-all' });

  expect(dataOf(good)).toMatchObject({ exit_code: 0, output: '42\n' });
  expect(shown(bad)).toMatchObject({
    ok: false,
    data: { output: expect.stringContaining('/nowhere-at-all') },
  });
});

test('an answer names what its command left running', async () => {
  await using given = openTools();
  const serve =
    "require('node:http').createServer().listen(0, '127.0.0.1', () => fs.writeFileSync('up', ''))";

  const answer = await given.call('run_command', {
    command: `node -e "${serve}" > /dev/null 2>&1 & until [ -e up ]; do sleep 0.05; done`,
  });

  const { leftovers } = dataOf(answer);
  expect(leftovers).toEqual([
    { pid: expect.any(Number), command: expect.stringContaining('node'), ports: [expect.any(Number)] },
  ]);
  expect(isAlive(leftovers[0].pid)).toBe(true);
});

test('a promoted command is waited for to its end', async () => {
  await using given = openTools();
  const command = 'echo first; until [ -e go ]; do sleep 0.1; done; echo last; exit 3';

  const promoted = await given.call('run_command', { command, timeout_seconds: 1.5 });
  const { process_id } = dataOf(promoted);
  const waiting = given.call('wait_for', { process_id });
  await given.call('run_command', { command: 'touch go' });

  expect(dataOf(promoted).status).toBe('backgrounded');
  expect(await waiting).toMatchObject({
    data: { status: 'failed', exit_code: 3, new_output: 'last\n' },
    reveals: [`${process_id}/1/ended`],
  });
});

test('a process is spoken with through its pipe', async () => {
  await using given = openTools();
  const command = 'while read -r line; do echo "<$line>"; done; echo bye';
  const { process_id } = dataOf(await given.call('start_process', { command, stdin: true }));

  await given.call('write_process', { process_id, input: 'one' });
  const echoed = await given.call('wait_for', { process_id, pattern: '^<one>$' });
  await given.call('write_process', { process_id, end_input: true });
  const ended = await given.call('wait_for', { process_id });

  expect(dataOf(echoed)).toMatchObject({ met: ['pattern'], matched_line: '<one>' });
  expect(dataOf(ended)).toMatchObject({ status: 'completed', exit_code: 0 });
});

test('a process without a pipe reads end-of-file', async () => {
  await using given = openTools();

  const answer = await given.call('run_command', { command: 'cat; echo over' });

  expect(dataOf(answer).output).toBe('over\n');
});

test.for([
  ['kill_process', 'process_id', {}],
  ['bg_kill', 'id', {}],
  ['background_process', 'handle', { action: 'kill' }],
  ['process', 'pid', { action: 'stop' }],
] as const)('%s ends the whole tree', async ([tool, field, more]) => {
  await using given = openTools();
  const command = 'sleep 1000 & echo up; wait';
  const { process_id } = dataOf(await given.call('start_process', { command, ready_line: 'up' }));
  // In the middle of execve a process shows no environment.
  const before = await waitUntil(() => {
    const alive = given.alive(process_id);
    return alive.length > 1 ? alive : null;
  });

  const answer = await given.call(tool, { ...more, [field]: process_id });

  expect(answer.ok).toBe(true);
  expect(before.filter(isAlive)).toEqual([]);
});

test('an interrupted command continues and does its work', async () => {
  await using given = openTools();
  const command = 'echo up; until [ -e go ]; do sleep 0.1; done; touch marker';
  const running = given.call('run_command', { command });
  await waitUntil(() => given.supervisor.list().some(({ output }) => output.lines === 1));

  given.interruption.abort();
  const { process_id } = dataOf(await running);
  await waitUntil(() => given.alive(process_id).length > 0, { what: 'it continues' });
  await given.supervisor.execute({ command: 'touch go' });
  const view = await given.supervisor.get(process_id)?.ended;

  expect(view?.status).toBe('completed');
  expect(existsSync(given.file('marker'))).toBe(true);
});

test('an interrupted wait leaves the process alive', async () => {
  await using given = openTools();
  const { process_id } = dataOf(await given.call('start_process', { command: 'echo up; sleep 1000' }));
  const waiting = given.call('wait_for', { process_id, text: 'never' });

  given.interruption.abort();

  expect(dataOf(await waiting).result).toBe('interrupted');
  await waitUntil(() => given.alive(process_id).length > 0, { what: 'it continues' });
});

test('a restarted process is another of the system', async () => {
  await using given = openTools();
  const command = 'echo up; sleep 1000';
  const first = dataOf(await given.call('start_process', { command, ready_line: 'up' }));

  const second = dataOf(await given.call('restart_process', { process_id: first.process_id }));

  expect(second).toMatchObject({ process_id: first.process_id, status: 'backgrounded', ready: 'ready' });
  expect(second.pid).not.toBe(first.pid);
  expect(isAlive(first.pid)).toBe(false);
  expect(isAlive(second.pid)).toBe(true);
});

test('a thousand lines a second do not hide the wanted one', async () => {
  await using given = openTools();
  const command = 'for i in $(seq 1 20000); do echo "line $i"; done; sleep 1000';
  const { process_id } = dataOf(await given.call('start_process', { command }));

  const answer = await given.call('wait_for', { process_id, pattern: '^line 20000$' });

  expect(dataOf(answer)).toMatchObject({
    message: 'Met: pattern.',
    met: ['pattern'],
    matched_line: 'line 20000',
  });
});
