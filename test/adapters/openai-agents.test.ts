import { expect, test } from 'vitest';
import { connectOpenAiAgents, type OpenAiAgentsCallDetails } from '../../src/adapters/openai-agents.ts';
import { turn } from '../support/virtual.ts';
import { buildSchema, createFakeHost, noticeText, question } from './fake-host.ts';

const marked = { role: 'user', content: `${noticeText}\n<!-- troupe:a b -->` };
const said = { role: 'user', content: 'Build.' };

/** The state of a run. `accepts`: whether it makes a further request. */
function createFakeState({ history = [] as object[], pending = [] as object[], accepts = true } = {}) {
  let pendingInput = pending;
  return {
    history,
    get pendingInput() {
      return pendingInput;
    },
    addInput: (items: readonly object[]) => {
      if (!accepts) throw new Error('The run is over.');
      pendingInput = [...pendingInput, ...items];
    },
    clearPendingInput: () => {
      pendingInput = [];
    },
  };
}

type State = ReturnType<typeof createFakeState>;

function arrange(options: Parameters<typeof createFakeHost>[0] = {}) {
  const fake = createFakeHost(options);
  const runs: { readonly input: unknown; readonly options: unknown }[] = [];
  const result = { state: createFakeState(), completed: Promise.resolve(), cancelled: false };
  let onToolEnd = () => {};
  const runner = () => ({
    on: (event: string, listener: () => void) => {
      if (event === 'agent_tool_end') onToolEnd = listener;
    },
    run: async (_: unknown, input: unknown, runOptions: unknown) => {
      runs.push({ input, options: runOptions });
      return result;
    },
  });
  const agents = connectOpenAiAgents(fake.host, {
    tool: ({ execute, needsApproval, ...fields }) => ({
      execute: execute as (input: unknown, context?: unknown, d?: OpenAiAgentsCallDetails) => Promise<string>,
      needsApproval,
      fields,
    }),
    runner,
  });
  const [build] = agents.tools;
  if (build === undefined) throw new Error('There is no tool.');
  return {
    ...{ ...fake, runs, build },
    /** Result of the run; tests change it beforehand. */
    result: result as { state: State; completed: Promise<void>; cancelled: boolean },
    run: (input: unknown, more?: object) => agents.run({} as never, input as never, more as never),
    endTool: () => onToolEnd(),
  };
}

test('a tool is described, and its call has id, input, signal and consent', async () => {
  const { build, calls } = arrange();
  const { signal } = new AbortController();

  const text = await build.execute({ target: 'all' }, {}, { signal, toolCall: { callId: 'call_1' } });
  await build.execute({});

  expect(build.fields).toEqual({
    ...{ name: 'build', description: 'Builds a target.', strict: false, parameters: buildSchema },
  });
  expect(text).toBe('{"ok":true,"data":{"built":2}}');
  expect(calls).toEqual([
    { request: { id: 'call_1', name: 'build', input: { target: 'all' } }, signal, consent: true },
    { request: { id: undefined, name: 'build', input: {} }, signal: undefined, consent: true },
  ]);
});

test.for([
  [{ type: 'allow' }, false],
  [{ type: 'deny', reason: 'No.' }, false],
  [{ type: 'ask', question }, true],
] as const)('the decision %j needs approval: %s', async ([decision, expected]) => {
  const { build, judged } = arrange({ decision });

  expect(await build.needsApproval(null, { target: 'all' }, 'call_1')).toBe(expected);
  expect(judged).toEqual([{ id: 'call_1', name: 'build', input: { target: 'all' } }]);
});

test('a run streams, with the options of the caller', async () => {
  const { run, runs, result } = arrange();

  expect(await run('Build.', { maxTurns: 3 })).toBe(result);
  await run('Build.');

  expect(runs).toEqual([
    { input: 'Build.', options: { maxTurns: 3, stream: true } },
    { input: 'Build.', options: { stream: true } },
  ]);
});

test.for([
  ['a text', 'Build.', [said]],
  ['items', [said], [said]],
] as const)('a notice enters a run of %s after it', async ([, input, items]) => {
  const { run, runs, wait, confirmed } = arrange();
  wait('a', 'b');

  await run(input);

  expect(runs[0]?.input).toEqual([...items, marked]);
  expect(confirmed).toEqual([]);
});

test.for([
  ['a text', marked],
  ['parts', { role: 'user', content: [{ text: noticeText }, { text: '\n<!-- troupe:a b -->' }] }],
] as const)('items with the notice as %s confirm it', async ([, item]) => {
  const { run, runs, wait, confirmed } = arrange();
  wait('a', 'b');

  await run([said, item]);

  expect(runs[0]?.input).toEqual([said, item]);
  expect(confirmed).toEqual([['a', 'b']]);
});

test('a text of a model or a tool confirms nothing', async () => {
  const { run, wait, confirmed } = arrange();
  wait('a', 'b');

  await run([
    { ...marked, role: 'assistant' },
    { type: 'function_call_result', output: marked.content },
  ]);

  expect(confirmed).toEqual([]);
});

test('a session with the notice confirms it', async () => {
  const { run, runs, wait, confirmed } = arrange();
  wait('a', 'b');

  await run('And?', { session: { getItems: async () => [said, marked] } });

  expect(runs[0]?.input).toBe('And?');
  expect(confirmed).toEqual([['a', 'b']]);
});

test('a notice waits in the state of a resumed run', async () => {
  const { run, runs, wait } = arrange();
  const state = createFakeState();
  wait('a', 'b');

  await run(state);

  expect(runs[0]?.input).toBe(state);
  expect(state.pendingInput).toEqual([marked]);
});

test('a notice enters a resumed run at the end of a tool', async () => {
  const { run, wait, endTool, result } = arrange();
  const state = createFakeState();
  result.state = state;
  const pending = run(state);
  await turn();
  wait('a', 'b');

  endTool();
  await pending;

  expect(state.pendingInput).toEqual([marked]);
});

test('a notice enters a new run at the end of a tool, once there is a state', async () => {
  const { run, wait, endTool, result } = arrange();
  const pending = run('Build.');
  endTool();
  await turn();
  wait('a', 'b');

  endTool();
  await pending;

  expect(result.state.pendingInput).toEqual([marked]);
});

test('a notice replaces the earlier one that still waits, and nothing else', async () => {
  const earlier = { role: 'user', content: `${noticeText}\n<!-- troupe:a -->` };
  const state = createFakeState({ pending: [said, earlier] });
  const { run, wait } = arrange();
  wait('a', 'b');

  await run(state);

  expect(state.pendingInput).toEqual([said, marked]);
});

test('a notice follows other items that wait', async () => {
  const state = createFakeState({ pending: [said] });
  const { run, wait } = arrange();
  wait('a', 'b');

  await run(state);

  expect(state.pendingInput).toEqual([said, marked]);
});

test('a run that makes no further request keeps the notice for the next one', async () => {
  const state = createFakeState({ pending: [said], accepts: false });
  const { run, wait, host } = arrange();
  wait('a', 'b');

  await run(state);

  expect(state.pendingInput).toEqual([said]);
  expect(host.take()).not.toBeNull();
});

test.for([
  [false, [['a', 'b']]],
  [true, []],
] as const)('the end of a run whose cancellation is %s confirms %j', async ([cancelled, expected]) => {
  const { run, result, confirmed } = arrange();
  Object.assign(result, { cancelled, state: createFakeState({ history: [said, marked] }) });

  await run('Build.');

  expect(confirmed).toEqual(expected);
});

test('a run without a stream lasts until it is completed, and rejects with its error', async () => {
  const { run, result } = arrange();
  const completed = Promise.withResolvers<void>();
  result.completed = completed.promise;
  let isOver = false;
  const pending = run('Build.').finally(() => {
    isOver = true;
  });
  await turn(2);
  const early = isOver;

  completed.reject(new Error('broken'));

  await expect(pending).rejects.toThrow('broken');
  expect(early).toBe(false);
});

test('a run with a stream resolves at once, and its error is that of the stream', async () => {
  const { run, result } = arrange();
  const completed = Promise.withResolvers<void>();
  result.completed = completed.promise;

  expect(await run('Build.', { stream: true })).toBe(result);

  completed.reject(new Error('broken'));
  await expect(result.completed).rejects.toThrow('broken');
});
