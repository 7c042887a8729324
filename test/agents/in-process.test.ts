import { expect, test } from 'vitest';
import type { ChatModel } from '../../src/models/chat-model.ts';
import type { ScriptedStep } from '../../src/models/scripted-model.ts';
import { waitUntil } from '../support/os.ts';
import { delegate, openDelegation, saidTo } from './delegation-rig.ts';

const run = (command: string): ScriptedStep => ({ calls: [{ name: 'run_command', arguments: { command } }] });
const start = (command: string): ScriptedStep => ({
  calls: [{ name: 'start_process', arguments: { command } }],
});
const untilGo = 'until [ -e go ]; do sleep 0.1; done';

test('the answer is what the delegate said', async () => {
  await using given = await openDelegation({
    steps: [delegate('add it up'), { text: 'it is five' }],
    delegates: { coder: [{ text: 'five' }] },
  });

  const outcome = await given.conversation.say('how much is it?');

  expect(outcome).toEqual({ type: 'answered', text: 'it is five' });
  expect(given.answers()).toEqual([{ ok: true, data: 'five' }]);
  expect(given.notices()).toEqual([]);
});

test('a delegate is a process of kind agent', async () => {
  const task = `count ${'x'.repeat(300)}`;
  await using given = await openDelegation({
    steps: [delegate(task), { text: 'done' }],
    delegates: { coder: [{ text: 'five' }] },
  });

  await given.conversation.say('go');

  expect(given.supervisor.list()).toEqual([
    expect.objectContaining({
      kind: 'agent',
      tool: 'agent__coder',
      owner: given.conversation.id,
      metadata: { agent: 'coder', task: `${task.slice(0, 199)}…` },
      mode: 'in_process',
      commandLine: 'agent__coder()',
    }),
  ]);
});

test('a delegate receives its task and the context once', async () => {
  let heard: readonly string[] = [];
  await using given = await openDelegation({
    steps: [delegate('add it up', { context: 'two and three' }), { text: 'five' }],
    delegates: {
      coder: [
        (messages) => {
          heard = saidTo(messages);
          return { text: 'five' };
        },
      ],
    },
    lead: 'context: { facts: ["numbers are whole"] }',
  });

  await given.conversation.say('how much is it?');

  expect(heard).toHaveLength(1);
  const [message = ''] = heard;
  for (const part of [
    'add it up',
    'two and three',
    'numbers are whole',
    'how much is it?',
    '"parent_agent": "lead"',
    '"depth": 1',
  ]) {
    expect(message.split(part)).toHaveLength(2);
  }
});

test('a delegate that fails is an answer', async () => {
  await using given = await openDelegation({
    steps: [delegate('try'), { text: 'what a pity' }],
    delegates: {
      coder: [
        () => {
          throw new Error('no model today');
        },
      ],
    },
    files: { coder: 'model: scripted\nlimits: { max_retries: 0 }' },
  });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'what a pity' });
  expect(given.answers()).toEqual([
    { ok: false, error: expect.stringContaining('The model failed: no model today') },
  ]);
});

test('a delegate that meets its limit is no success', async () => {
  await using given = await openDelegation({
    steps: [delegate('try'), { text: 'what a pity' }],
    delegates: { coder: [run('true'), run('true'), run('true')] },
    files: { coder: 'model: scripted\npolicy: { mode: dangerous }\nlimits: { max_steps: 2 }' },
  });

  await given.conversation.say('go');

  expect(given.answers()).toEqual([{ ok: false, error: expect.stringContaining('stopped after 2 steps') }]);
});

test('a delegate in the background brings its answer by notice', async () => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  await using given = await openDelegation({
    steps: [delegate('add it up', { background: true }), { text: 'I wait' }, { text: 'it is five' }],
    delegates: { coder: [() => finished.then(() => ({ text: 'five & no <more>' }))] },
  });

  const outcome = await given.conversation.say('how much is it?');
  finish();
  await waitUntil(() => given.notices().length > 0);
  await given.conversation.idle();

  expect(outcome).toEqual({ type: 'answered', text: 'I wait' });
  expect(given.answers()).toMatchObject([
    { ok: true, data: { status: 'backgrounded', process_id: expect.stringMatching(/^agent_/) } },
  ]);
  expect(given.notices()[0]).toContain('<answer>\nfive &amp; no &lt;more&gt;\n</answer>');
});

test('a delegate that takes too long goes to the background', async () => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  await using given = await openDelegation({
    steps: [delegate('add it up', { timeout: 0.05 }), { text: 'later' }, { text: 'it is five' }],
    delegates: { coder: [() => finished.then(() => ({ text: 'five' }))] },
  });

  await given.conversation.say('how much is it?');
  finish();
  await waitUntil(() => given.notices().length > 0);

  expect(given.answers()).toMatchObject([
    { ok: true, data: { status: 'backgrounded', message: expect.stringContaining('has not answered yet') } },
  ]);
  expect(given.notices()[0]).toContain('<answer>\nfive\n</answer>');
});

test('an interruption leaves a delegate in the background', async () => {
  await using given = await openDelegation({
    steps: [delegate('wait'), { text: 'never said' }],
    delegates: { coder: [() => new Promise(() => {})] },
  });
  void given.conversation.say('go');
  const [process] = await waitUntil(() => {
    const running = given.supervisor.list({ live: true }).filter(({ status }) => status === 'running');
    return running.length > 0 ? running : null;
  });

  await given.conversation.interrupt();

  expect(given.supervisor.get(process?.id ?? '')?.status).toBe('backgrounded');
});

test('no more agents run at once than allowed', async () => {
  let [running, most] = [0, 0];
  const { promise: seen, resolve: look } = Promise.withResolvers<void>();
  const count = (): ChatModel => ({
    name: 'counting',
    async *stream() {
      running += 1;
      most = Math.max(most, running);
      // A third delegate that must not start would do so in that time.
      if (running === 2) setTimeout(look, 20);
      await seen;
      running -= 1;
      yield { type: 'text', text: 'done' };
    },
  });
  const call = { name: 'delegate_to_coder', arguments: { task: 'count', mode: 'in_process' } };
  await using given = await openDelegation({
    steps: [{ calls: [call, call, call, call] }, { text: 'done' }],
    delegates: { coder: count },
    lead: 'delegation: { max_parallel_agents: 2 }',
  });

  await given.conversation.say('go');

  expect(given.answers().map(({ data }) => data)).toEqual(['done', 'done', 'done', 'done']);
  expect(most).toBe(2);
});

test('a chain of delegates never waits for itself', async () => {
  const further = {
    calls: [{ name: 'delegate_to_coder', arguments: { task: 'go on', mode: 'in_process' } }],
  };
  await using given = await openDelegation({
    steps: [further, { text: 'done' }],
    delegates: {
      coder: [further, (messages) => ({ text: `deeper: ${messages.at(-1)?.text}` })],
    },
    files: { coder: 'model: scripted\npolicy: { mode: dangerous }\ndelegates: [coder]' },
    lead: 'delegation: { max_parallel_agents: 1 }',
  });

  await given.conversation.say('go');

  const [answer] = given.answers();
  expect(answer.data.split('deeper:')).toHaveLength(5);
  expect(answer.data).toContain('Maximum delegation depth (5) reached');
});

test('a process of a delegate ends with the delegate', async () => {
  let before = 0;
  await using given = await openDelegation({
    steps: [delegate('start it'), { text: 'done' }],
    delegates: {
      coder: [
        start('sleep 600'),
        async () => {
          before = await waitUntil(() => given.alive().length);
          return { text: 'started' };
        },
      ],
    },
    files: { coder: 'model: scripted\npolicy: { mode: dangerous }\nlimits: { background: kill }' },
  });

  await given.conversation.say('go');

  expect(given.answers()).toEqual([{ ok: true, data: 'started' }]);
  expect(before).toBeGreaterThan(0);
  expect(given.alive()).toEqual([]);
});

test('a process with the lifetime parent passes to the agent above', async () => {
  await using given = await openDelegation({
    steps: [
      delegate('start it'),
      { text: 'done' },
      { calls: [{ name: 'list_processes', arguments: {} }] },
      { text: 'listed' },
    ],
    delegates: {
      coder: [
        start('sleep 601'),
        () => {
          const { owner } = given.supervisor.list({ live: true }).find(({ kind }) => kind === 'tool') ?? {
            owner: 'none',
          };
          given.supervisor.start({ command: 'sleep 602', background: true, lifetime: 'parent', owner });
          return { text: 'started' };
        },
      ],
    },
    files: { coder: 'model: scripted\npolicy: { mode: dangerous }\nlimits: { background: kill }' },
  });
  await given.conversation.say('go');

  await given.conversation.say('what runs?');

  expect(given.answers()[1].data.processes.map(({ command }: { command: string }) => command)).toEqual([
    'sleep 602',
  ]);
  const agent = given.supervisor.list().find(({ kind }) => kind === 'agent');
  expect(given.supervisor.list().find(({ commandLine }) => commandLine === 'sleep 601')?.owner).toBe(
    agent?.id,
  );
  // Two processes are listed until its shell has become the program.
  expect(given.supervisor.list({ live: true }).map(({ commandLine }) => commandLine)).toEqual(['sleep 602']);
  await waitUntil(() => given.alive().length === 1);
});

const list = { calls: [{ name: 'list_processes', arguments: {} }] };
const commandsIn = (text: string): readonly string[] =>
  JSON.parse(text).data.processes.map(({ command }: { command: string }) => command);

test('an agent sees and ends what its delegates started', async () => {
  await using given = await openDelegation({
    steps: [
      delegate('start it', { background: true }),
      async () => {
        await waitUntil(() => given.alive().length > 0);
        return list;
      },
      (messages) => {
        const { processes } = JSON.parse(messages.at(-1)?.text ?? '').data;
        const { process_id } = processes.find(({ command }: { command: string }) => command === 'sleep 603');
        return { calls: [{ name: 'kill_process', arguments: { process_id } }] };
      },
      { text: 'gone' },
      { text: 'woken' },
    ],
    delegates: { coder: [start('sleep 603'), { text: 'started' }, { text: 'it was ended' }] },
  });

  await given.conversation.say('go');

  const [, listed, killed] = given.answers();
  expect(listed.data.processes.map(({ command }: { command: string }) => command)).toEqual([
    'agent__coder()',
    'sleep 603',
  ]);
  expect(killed).toMatchObject({ ok: true, data: { status: 'killed' } });
  expect(given.alive()).toEqual([]);
});

test('a delegate sees nothing of the agents beside and above', async () => {
  let seen: readonly string[] = [];
  let looked: unknown;
  await using given = await openDelegation({
    steps: [start('sleep 604'), delegate('look around'), { text: 'done' }],
    delegates: {
      coder: [
        list,
        (messages) => {
          seen = commandsIn(messages.at(-1)?.text ?? '');
          const [{ id = '' } = {}] = given.supervisor.list();
          return { calls: [{ name: 'check_process', arguments: { process_id: id } }] };
        },
        (messages) => {
          looked = JSON.parse(messages.at(-1)?.text ?? '');
          return { text: 'done' };
        },
      ],
    },
  });

  await given.conversation.say('go');

  expect(seen).toEqual([]);
  expect(looked).toMatchObject({ ok: false, error: expect.stringContaining('not found') });
});

test("the end of a delegate's process is reported only to the delegate", async () => {
  await using given = await openDelegation({
    steps: [delegate('run it'), { text: 'done' }],
    delegates: {
      coder: [
        start(untilGo),
        () => {
          given.write('go', '');
          return { text: 'started' };
        },
        (messages) => ({ text: `told: ${messages.at(-1)?.role}` }),
      ],
    },
  });

  await given.conversation.say('go');

  expect(given.answers()).toEqual([{ ok: true, data: 'started\n\ntold: notice' }]);
  expect(given.notices()).toEqual([]);
});

test('a delegate without a key fails and does nothing', async () => {
  await using given = await openDelegation({
    steps: [delegate('run touch made'), { text: 'what a pity' }],
    files: { coder: 'model: gpt-5\npolicy: { mode: dangerous }' },
    agent: { modelOf: undefined as never, env: {} },
  });

  await given.conversation.say('go');

  expect(given.answers()).toEqual([
    {
      ok: false,
      error:
        'agent coder: OPENAI_API_KEY is not set, so it has no model and cannot work. Set it to talk to openai/gpt-5.',
    },
  ]);
});

test('a killed delegate takes its processes along', async () => {
  await using given = await openDelegation({
    steps: [
      delegate('start it', { background: true }),
      async (messages) => {
        await waitUntil(() => given.alive().length > 0);
        const { data } = JSON.parse(messages.at(-1)?.text ?? '{}');
        return { calls: [{ name: 'kill_process', arguments: { process_id: data.process_id } }] };
      },
      { text: 'gone' },
    ],
    delegates: { coder: [run('sleep 600'), { text: 'never said' }] },
  });

  await given.conversation.say('go');

  expect(given.alive()).toEqual([]);
  expect(given.supervisor.list({ live: true })).toEqual([]);
});

test('closing the agent above ends everything below', async () => {
  await using given = await openDelegation({
    steps: [delegate('start it')],
    delegates: { coder: [delegate('start it'), { text: 'never said' }] },
    files: { coder: 'model: scripted\npolicy: { mode: dangerous }\ndelegates: [coder]' },
    agent: { maxDepth: 3, modelOf: () => runsFor600() },
  });
  void given.conversation.say('go');
  await waitUntil(() => given.alive().length > 0);

  await given.agent.close();

  expect(given.alive()).toEqual([]);
});

test('restrictions pass on and cannot be lifted below', async () => {
  let offered: readonly string[] = [];
  await using given = await openDelegation({
    steps: [delegate('run it'), { text: 'done' }],
    delegates: {
      coder: () => ({
        name: 'curious',
        async *stream({ messages, tools }) {
          offered = tools.map(({ name }) => name);
          const last = messages.at(-1);
          if (last?.role === 'tool') yield { type: 'text', text: last.text };
          else
            yield { type: 'toolCall', id: 'a', name: 'run_command', argumentsText: '{"command":"git push"}' };
        },
      }),
    },
    lead: '',
    files: {
      lead: 'model: scripted\ndelegates: [coder]\npolicy: { mode: dangerous, commands: { deny: ["git push*"] } }',
      coder: 'model: scripted\npolicy: { mode: dangerous }',
    },
  });

  await given.conversation.say('go');

  expect(offered).toContain('run_command');
  expect(given.answers()[0].data).toContain('Denied');
});

test('a question of a delegate reaches the person', async () => {
  const questions: string[] = [];
  await using given = await openDelegation({
    steps: [delegate('run it'), { text: 'done' }],
    delegates: { coder: [run('env echo hello'), (messages) => ({ text: messages.at(-1)?.text ?? '' })] },
    files: { coder: 'model: scripted\npolicy: { mode: default }' },
    agent: {
      ask: async ({ tool }) => {
        questions.push(tool);
        return true;
      },
    },
  });

  await given.conversation.say('go');

  expect(questions).toEqual(['run_command']);
  expect(given.answers()[0].data).toContain('hello');
});

test('without a person a question is a denial that says so', async () => {
  await using given = await openDelegation({
    steps: [delegate('run it'), { text: 'done' }],
    delegates: { coder: [run('env echo hello'), (messages) => ({ text: messages.at(-1)?.text ?? '' })] },
    files: { coder: 'model: scripted' },
  });

  await given.conversation.say('go');

  expect(given.answers()[0].data).toMatch(/Denied.*no person to ask/);
});

test('a delegate keeps to its own settings', async () => {
  await using given = await openDelegation({
    steps: [delegate('run it'), { text: 'done' }],
    delegates: {
      coder: [
        run(`${untilGo}; echo $COLOR`),
        (messages) => {
          given.write('go', '');
          return { text: messages.at(-1)?.text ?? '' };
        },
        { text: 'woken' },
      ],
    },
    files: {
      coder:
        'model: scripted\npolicy: { mode: dangerous }\nsupervisor: { default_timeout: 50ms, env: { COLOR: green } }',
    },
  });

  await given.conversation.say('go');

  const tool = given.supervisor.list().find(({ kind }) => kind === 'tool');
  expect(tool).toMatchObject({ status: 'completed', backgroundedAt: expect.any(Number) });
  expect(given.supervisor.get(tool?.id ?? '')?.read().text).toBe('green\n');
});

function runsFor600(): ChatModel {
  return {
    name: 'sleepy',
    async *stream({ messages }) {
      if (messages.some(({ role }) => role === 'tool')) return;
      const isDeep = messages.some(({ text }) => text.includes('"depth": 2'));
      yield isDeep
        ? { type: 'toolCall', id: 'a', name: 'run_command', argumentsText: '{"command":"sleep 600"}' }
        : {
            type: 'toolCall',
            id: 'a',
            name: 'delegate_to_coder',
            argumentsText: '{"task":"start it","mode":"in_process"}',
          };
    },
  };
}
