import { expect, test } from 'vitest';
import { createToolHost, type ToolHostOptions } from '../../src/tools/tool-host.ts';
import { toolSets } from '../../src/tools/tool-sets.ts';
import { arrange as arrangeMcp } from '../mcp/arrange.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { call, talk } from '../support/talk.ts';
import { arrange, dataOf, errorOf, shown, turns } from './arrange.ts';

test('exec_command answers with output, code and time', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.print('hello\n');
      run.exit({ code: 0 });
    },
  });

  const answer = await given.call('exec_command', { cmd: 'echo hello' });

  expect(dataOf(answer)).toEqual({ output: 'hello\n', exit_code: 0, signal: null, wall_time_seconds: 0 });
  expect(answer.reveals).toEqual([`${given.supervisor.list()[0]?.id}/1/ended`]);
});

test('exec_command yields a number and the output so far', async () => {
  await using given = arrange();

  const pending = await given.begin('exec_command', { cmd: 'serve', yield_time_ms: 1_500 });
  given.backend.runs[0]?.print('listening\n');
  given.clock.advance(1_500);
  const data = dataOf(await pending.answer);

  const [view] = given.supervisor.list();
  expect(data).toMatchObject({ output: 'listening\n', wall_time_seconds: 1.5, process_id: view?.id });
  expect(data.session_id).toEqual(expect.any(Number));
  expect(data.message).toContain(`Process running with session ID ${data.session_id}.`);
  expect(data.message).toContain('You will get a notice when it ends');
});

test('session ids tell several commands apart', async () => {
  await using given = arrange();
  const ids: number[] = [];
  for (const cmd of ['one', 'two', 'three']) {
    const pending = await given.begin('exec_command', { cmd, yield_time_ms: 10 });
    given.clock.advance(10);
    ids.push(dataOf(await pending.answer).session_id);
  }
  for (const [index, run] of given.backend.runs.entries()) run.print(`${index}\n`);

  const polls = ids.map((session_id) => given.begin('write_stdin', { session_id, yield_time_ms: 10 }));
  const begun = await Promise.all(polls);
  given.clock.advance(10);
  const answers = await Promise.all(begun.map(({ answer }) => answer));

  expect(new Set(ids).size).toBe(3);
  expect(answers.map((answer) => dataOf(answer).output)).toEqual(['0\n', '1\n', '2\n']);
});

test('a poll returns when the command ends', async () => {
  await using given = arrange();
  const first = await given.begin('exec_command', { cmd: 'build', yield_time_ms: 10 });
  given.clock.advance(10);
  const { session_id } = dataOf(await first.answer);

  const poll = await given.begin('write_stdin', { session_id });
  given.backend.runs[0]?.print('broken\n');
  given.backend.runs[0]?.exit({ code: 2 });
  const answer = await poll.answer;

  expect(shown(answer)).toMatchObject({
    ok: false,
    error: 'Process exited with code 2.',
    data: { output: 'broken\n', exit_code: 2 },
  });
});

test('an unknown session is named beside the running ones', async () => {
  await using given = arrange();
  const pending = await given.begin('exec_command', { cmd: 'serve', yield_time_ms: 10 });
  given.clock.advance(10);
  const { session_id } = dataOf(await pending.answer);

  const answer = await given.call('write_stdin', { session_id: 7 });

  expect(errorOf(answer)).toBe(`Unknown session ID 7. Running: ${session_id}.`);
});

test('output beyond the budget is counted', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.print(`first\n${'x'.repeat(8_000)}\nlast\n`);
      run.exit();
    },
  });

  const data = dataOf(await given.call('exec_command', { cmd: 'flood', max_output_tokens: 100 }));

  expect(data.output).toMatch(/^first\n.*last\n$/s);
  expect(data.output.length).toBeLessThan(700);
  expect(data).toMatchObject({ truncated: true, dropped_bytes: expect.any(Number) });
  expect(data.original_token_count).toBeGreaterThanOrEqual(2_000);
});

test('a command without a terminal refuses characters with a hint', async () => {
  await using given = arrange();
  const pending = await given.begin('exec_command', { cmd: 'cat', yield_time_ms: 10 });
  given.clock.advance(10);
  const { session_id } = dataOf(await pending.answer);

  const answer = await given.call('write_stdin', { session_id, chars: 'x\n' });
  await turns();

  expect(errorOf(answer)).toContain('tty: true');
});

/** The set `exec` on processes of the system. */
function openExec(options: Partial<ToolHostOptions> = {}) {
  const stage = openRealHarness({ terminal: 'pty' });
  const host = createToolHost({
    ...{ supervisor: stage.supervisor, owner: 'agent', tools: toolSets.exec, policy: { mode: 'dangerous' } },
    ask: async () => true,
    ...options,
  });
  return {
    stage,
    exec: async (cmd: string, more: object = {}) =>
      (await host.call({ name: 'exec_command', input: { cmd, ...more } })).answer,
    write: async (session_id: number, more: object = {}) =>
      (await host.call({ name: 'write_stdin', input: { session_id, ...more } })).answer,
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

test('each command begins in its workdir', async () => {
  await using given = openExec();

  const moved = dataOf(await given.exec('mkdir sub; cd sub; pwd'));
  const next = dataOf(await given.exec('pwd'));
  const inside = dataOf(await given.exec('pwd', { workdir: 'sub' }));

  expect(moved.output).toBe(`${next.output.trimEnd()}/sub\n`);
  expect(inside.output).toBe(moved.output);
});

test('a terminal takes characters until its command ends', async () => {
  await using given = openExec();
  const started = dataOf(
    await given.exec('test -t 0 && read -r name && echo "<$name>"', { tty: true, yield_time_ms: 300 }),
  );

  const answer = dataOf(await given.write(started.session_id, { chars: 'Ada\n', yield_time_ms: 60_000 }));

  expect(answer).toMatchObject({ exit_code: 0, output: expect.stringContaining('<Ada>') });
});

test('an interrupt character ends a command in a terminal', async () => {
  await using given = openExec();
  const started = dataOf(await given.exec('echo up; sleep 60', { tty: true, yield_time_ms: 300 }));

  const answer = await given.write(started.session_id, { chars: '\u0003', yield_time_ms: 60_000 });

  expect(answer).toMatchObject({ ok: false, data: { output: expect.any(String) } });
  await waitUntil(() => given.stage.alive().length === 0);
});

test('a shell and a login are programs that the policy judges', async () => {
  await using denied = openExec({ policy: { mode: 'dangerous', commands: { deny: ['rm *'] } } });

  const answer = await denied.exec('rm x', { shell: '/bin/sh' });
  const login = await denied.exec('shopt -q login_shell && echo login', { login: true });

  expect(errorOf(answer)).toMatch(/^Denied: /);
  expect(dataOf(login).output).toContain('login\n');
});

test('a session is polled through a conversation', async () => {
  await using given = openExec();
  const steps = [
    call('exec_command', { cmd: 'until [ -e go ]; do sleep 0.1; done; echo gone', yield_time_ms: 200 }),
    call('exec_command', { cmd: 'touch go' }),
    (messages: readonly { role: string; text?: string }[]) => {
      const text = messages.map((message) => message.text ?? '').join();
      const session_id = Number(/"session_id":(\d+)/.exec(text)?.[1]);
      return { calls: [{ name: 'write_stdin', arguments: { session_id, yield_time_ms: 60_000 } }] };
    },
    { text: 'done' },
  ];
  await using talking = talk(given.stage, steps, { tools: toolSets.exec });

  await talking.conversation.say('go');

  expect(talking.answers()[2]).toMatchObject({ ok: true, data: { output: 'gone\n', exit_code: 0 } });
  expect(talking.notices()).toEqual([]);
});

test('a session is polled by an MCP client', async () => {
  await using given = openExec();
  const { supervisor } = given.stage;
  await using mcp = await arrangeMcp({ supervisor, tools: toolSets.exec, policy: { mode: 'dangerous' } });
  const make = async (name: string, input: Record<string, unknown>) =>
    (await mcp.client.callTool({ name, arguments: input })).structuredContent as {
      data: { session_id: number };
    };
  const cmd = 'until [ -e go ]; do sleep 0.1; done; echo gone';

  const { session_id } = (await make('exec_command', { cmd, yield_time_ms: 200 })).data;
  await make('exec_command', { cmd: 'touch go' });
  const polled = await make('write_stdin', { session_id, yield_time_ms: 60_000 });

  expect(polled).toMatchObject({ ok: true, data: { output: 'gone\n', exit_code: 0 } });
});
