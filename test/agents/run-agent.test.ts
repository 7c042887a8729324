import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AgentOptions } from '../../src/agents/agent.ts';
import { createAgent, type RunOptions, runAgent, runTask } from '../../src/agents/create-agent.ts';
import { ModelError } from '../../src/models/model-error.ts';
import { createScriptedModel, type ScriptedStep } from '../../src/models/scripted-model.ts';
import { carriers, tempDir, waitUntil } from '../support/os.ts';
import { openProject } from './project.ts';

async function run(steps: readonly ScriptedStep[], options: Partial<RunOptions> = {}) {
  using project = openProject();
  return await runAgent({
    definition: { name: 'lead', model: { provider: 'scripted' }, policy: { mode: 'dangerous' } },
    directory: project.directory,
    model: createScriptedModel(steps),
    depth: 0,
    host: { stateDirectory: false },
    task: 'go',
    ...options,
  });
}

const start = (command: string): ScriptedStep => ({
  calls: [{ name: 'start_process', arguments: { command } }],
});

/** The command waits until the file is there. */
const until = (file: string) => `until [ -e ${file} ]; do sleep 0.1; done`;

test('the answer is the text of the last turn', async () => {
  expect(await run([{ text: 'five' }])).toEqual({ ok: true, data: 'five' });
});

test('work in the background is waited for', async () => {
  using place = tempDir();
  const result = await run([
    start(`${until(place.file('go'))}; sleep 0.2; exit 3`),
    () => {
      writeFileSync(place.file('go'), '');
      return { text: 'wait' };
    },
    (messages) => ({ text: messages.at(-1)?.role ?? '' }),
  ]);

  expect(result).toEqual({ ok: true, data: 'wait', remarks: ['notice'] });
});

test('a later remark does not replace an answer', async () => {
  using place = tempDir();
  const [first, second] = [place.file('first'), place.file('second')];
  const result = await run([
    start(until(first)),
    () => {
      writeFileSync(first, '');
      return { text: 'it is five\n' };
    },
    start(until(second)),
    () => {
      writeFileSync(second, '');
      return { text: 'the first has ended' };
    },
    { text: 'the second has ended' },
  ]);

  expect(result).toEqual({
    ok: true,
    data: 'it is five\n',
    remarks: ['the first has ended', 'the second has ended'],
  });
});

test('the agent of a run learns that only its answer is read', async () => {
  const result = await run([(messages) => ({ text: messages[0]?.text ?? '' })]);

  expect(result).toMatchObject({ ok: true, data: expect.stringContaining('Only this answer is read') });
});

test('a remark on what ended during an answer does not replace it', async () => {
  using project = openProject();
  const { promise: announced, resolve: announce } = Promise.withResolvers<void>();
  const create = async (options: AgentOptions) => {
    const agent = await createAgent(options);
    agent.supervisor.completions$.subscribe(() => announce());
    return agent;
  };

  const result = await runTask(create, {
    definition: { name: 'lead', model: { provider: 'scripted' }, policy: { mode: 'dangerous' } },
    directory: project.directory,
    model: createScriptedModel([
      start('until [ -e go ]; do sleep 0.1; done'),
      async () => {
        project.write('go', '');
        await announced;
        return { text: 'it is five' };
      },
      { text: 'it has ended' },
    ]),
    depth: 0,
    host: { stateDirectory: false },
    task: 'go',
  });

  expect(result).toEqual({ ok: true, data: 'it is five', remarks: ['it has ended'] });
});

/** Notifies the agent once it has answered, and runs it on with the steps of `then`. */
async function runBehindAnswer(then: readonly ScriptedStep[], options: Partial<RunOptions> = {}) {
  using project = openProject();
  const create = async (given: AgentOptions) => {
    const agent = await createAgent(given);
    const { conversation } = agent;
    conversation.events$.subscribe(({ type }) => {
      if (type === 'turn.ended') conversation.notify({ id: 'ci/1', source: 'CI', text: 'It is red.' });
    });
    return agent;
  };
  return await runTask(create, {
    definition: { name: 'lead', model: { provider: 'scripted' }, limits: { max_steps: 2 } },
    directory: project.directory,
    model: createScriptedModel([{ text: 'it is five' }, ...then]),
    depth: 0,
    host: { stateDirectory: false },
    task: 'go',
    ...options,
  });
}

test.for<[string, readonly ScriptedStep[], string]>([
  ['fails', [new Error('no key')], 'The model failed: no key'],
  ['never stops', [{ calls: [{ name: 'list_processes', arguments: {} }] }], 'stopped after 2 steps'],
])('a run keeps its answer when a later turn %s', async ([, steps, why]) => {
  const result = await runBehindAnswer([...steps, ...steps]);

  expect(result).toEqual({ ok: true, data: 'it is five', note: expect.stringContaining(why) });
});

test('a run keeps its answer when the model adds nothing to it', async () => {
  expect(await runBehindAnswer([{}])).toEqual({ ok: true, data: 'it is five' });
});

test('a run keeps its answer when its model becomes unavailable', async () => {
  const away = () => Promise.reject(new ModelError({ failure: 'unavailable', message: 'Away.' }));

  const result = await runBehindAnswer(
    Array.from({ length: 9 }, () => away),
    { wait: '500ms' },
  );

  expect(result).toEqual({ ok: true, data: 'it is five', note: expect.stringContaining('Away.') });
});

test('a run keeps its answer when the time runs out after it', async () => {
  const result = await runBehindAnswer([() => new Promise(() => {})], { timeout: '1500ms' });

  expect(result).toEqual({
    ok: true,
    data: 'it is five',
    note: expect.stringContaining('not done after 1.5s'),
  });
});

test('a process that outlasts the wait is ended', async () => {
  const mark = randomUUID();
  let pids: readonly number[] = [];
  const result = await run(
    [
      start('sleep 600'),
      async () => {
        pids = await waitUntil(() => {
          const found = carriers(mark);
          return found.length > 0 ? found : null;
        });
        return { text: 'started' };
      },
      { text: 'ended' },
    ],
    {
      wait: 50,
      definition: {
        name: 'lead',
        model: { provider: 'scripted' },
        policy: { mode: 'dangerous' },
        supervisor: { env: { TROUPE_TEST_LEFT: mark } },
      },
    },
  );

  expect(result.ok).toBe(true);
  expect(pids.length).toBeGreaterThan(0);
  expect(carriers(mark)).toEqual([]);
});

test('a run that takes too long is no success', async () => {
  const result = await run([() => new Promise(() => {})], { timeout: 50 });

  expect(result).toEqual({ ok: false, error: expect.stringContaining('no answer after 50 ms') });
});

test('an aborted run ends with an error', async () => {
  const stop = new AbortController();
  const result = run([() => new Promise(() => {})], { signal: stop.signal });
  stop.abort();

  expect(await result).toEqual({ ok: false, error: 'The agent was ended before it had an answer.' });
  expect(await run([{ text: 'five' }], { signal: stop.signal })).toMatchObject({ ok: false });
});

test('a failed creation of an agent is an answer', async () => {
  expect(await run([], { depth: 5 })).toEqual({
    ok: false,
    error: expect.stringContaining('Maximum delegation depth (5) reached'),
  });
  expect(
    await run([], { definition: { name: 'lead', model: {}, limits: { max_run_time: 'soon' } } }),
  ).toEqual({
    ok: false,
    error: expect.stringContaining('"limits.max_run_time" is "soon"'),
  });
});

test('a question without a person is a denial that says so', async () => {
  const result = await run(
    [
      { calls: [{ name: 'run_command', arguments: { command: 'env echo hello' } }] },
      (messages) => ({ text: messages.at(-1)?.text ?? '' }),
    ],
    { definition: { name: 'lead', model: { provider: 'scripted' } } },
  );

  expect(result).toEqual({ ok: true, data: expect.stringMatching(/Denied.*no person to ask/) });
});
