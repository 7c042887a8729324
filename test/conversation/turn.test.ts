import { expect, test } from 'vitest';
import { z } from 'zod';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createSupervisor } from '../../src/index.ts';
import type { ChatDelta, ChatMessage } from '../../src/models/chat-model.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { arrange, gate, toolThat } from './arrange.ts';

test('results stand in the order of the calls', async () => {
  const slow = gate();
  await using given = arrange({
    steps: [
      {
        calls: [
          { name: 'slow', arguments: {} },
          { name: 'quick', arguments: {} },
        ],
      },
      { text: 'done' },
    ],
    tools: [
      toolThat('slow', () => slow.passed.then(() => ({ ok: true, data: 'slow' }))),
      toolThat('quick', async () => {
        slow.open();
        return { ok: true, data: 'quick' };
      }),
    ],
  });

  await given.conversation.say('go');

  expect(given.answers().map(({ data }) => data)).toEqual(['slow', 'quick']);
  expectResultsBehindCalls(given.conversation.transcript);
});

test('a message during a step waits for its results', async () => {
  const busy = gate();
  await using given = arrange({
    steps: [{ calls: [{ name: 'work', arguments: {} }] }, { text: 'both done' }],
    tools: [toolThat('work', () => busy.passed.then(() => ({ ok: true, data: null })))],
  });
  const first = given.conversation.say('one');
  const called = new Promise<void>((resolve) => {
    given.conversation.events$.subscribe(({ type }) => type === 'tool.called' && resolve());
  });
  await called;

  const second = given.conversation.say('two');
  busy.open();
  const outcomes = await Promise.all([first, second]);

  expect(given.roles()).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
  expect(outcomes).toEqual([
    { type: 'answered', text: 'both done' },
    { type: 'answered', text: 'both done' },
  ]);
});

test('three messages are taken at one safe point', async () => {
  await using given = arrange({ steps: [{ text: 'first three' }, { text: 'the fourth' }] });

  await Promise.all(['a', 'b', 'c', 'd'].map((text) => given.conversation.say(text)));

  expect(given.roles()).toEqual(['user', 'user', 'user', 'assistant', 'user', 'assistant']);
});

test('a model that fails ends the turn with an explanation', async () => {
  await using given = arrange({
    steps: [
      () => {
        throw new Error('overloaded');
      },
      { text: 'back again' },
    ],
  });

  const failed = await given.conversation.say('hello?');
  const answered = await given.conversation.say('and now?');

  expect(failed).toEqual({ type: 'failed', error: 'overloaded.' });
  expect(answered).toEqual({ type: 'answered', text: 'back again' });
});

test('a model that never stops meets the limit', async () => {
  const look = { calls: [{ name: 'list_processes', arguments: {} }] };
  await using given = arrange({ steps: [look, look, look], maxSteps: 2 });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'stepLimit', maxSteps: 2 });
  expectResultsBehindCalls(given.conversation.transcript);
});

test('a tool that waits may be called with the same arguments again and again', async () => {
  const calls = Array.from({ length: 6 }, () => ({ calls: [{ name: 'look', arguments: {} }] }));
  const look = (waits: boolean) =>
    defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.strictObject({}),
      intend: () => ({ permission: 'output', waits }),
      execute: async () => ({ ok: true, data: 'as before' }),
    });
  await using waiting = arrange({ steps: [...calls, { text: 'done' }], tools: [look(true)] });
  await using looking = arrange({ steps: [...calls, { text: 'done' }], tools: [look(false)] });

  await Promise.all([waiting.conversation.say('go'), looking.conversation.say('go')]);

  expect(waiting.answers().map(({ ok }) => ok)).toEqual([true, true, true, true, true, true]);
  expect(looking.answers().map(({ ok }) => ok)).toEqual([true, true, true, true, false, false]);
});

test('an answer that cannot be written down is an error', async () => {
  await using given = arrange({
    steps: [{ calls: [{ name: 'odd', arguments: {} }] }, { text: 'odd' }],
    tools: [toolThat('odd', async () => ({ ok: true, data: 1n }))],
  });

  await given.conversation.say('go');

  expect(given.answers()).toMatchObject([
    { ok: false, error: expect.stringContaining('The answer of odd is not valid JSON') },
  ]);
});

test('a tool that JSON Schema cannot describe is refused', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const remind = defineTool({
    name: 'remind',
    description: 'Reminds of something.',
    input: z.strictObject({ at: z.date() }),
    execute: async () => ({ ok: true, data: null }),
  });

  const create = () => createConversation({ supervisor, model: createScriptedModel([]), tools: [remind] });

  expect(create).toThrow(
    expect.objectContaining({
      name: 'TroupeError',
      code: 'invalid-option',
      message: expect.stringMatching(/"tools".*"remind".*Date/),
    }),
  );
});

test('closing leaves no call without a result', async () => {
  await using given = arrange({
    steps: [{ calls: [{ name: 'forever', arguments: {} }] }],
    tools: [toolThat('forever', () => new Promise(() => {}))],
  });
  const said = given.conversation.say('go');
  await new Promise<void>((resolve) => {
    given.conversation.events$.subscribe(({ type }) => type === 'tool.called' && resolve());
  });

  await given.conversation.close();

  expect(await said).toEqual({ type: 'closed' });
  expectResultsBehindCalls(given.conversation.transcript);
});

test('closing does not wait for a model that ignores its abort', async () => {
  const speaking = gate();
  await using given = arrange({
    steps: [
      () => {
        speaking.open();
        return new Promise(() => {});
      },
    ],
  });
  const said = given.conversation.say('go');
  await speaking.passed;

  await given.conversation.close();

  expect(await said).toEqual({ type: 'closed' });
});

test('a turn delivers notices five times, exactly', async () => {
  const look = { calls: [{ name: 'list_processes', arguments: {} }] };
  await using given = arrange({
    steps: [
      ...Array.from({ length: 7 }, (_, index) => () => {
        given.conversation.notify({ id: `n${index}`, source: 'a test', text: `news ${index}` });
        return look;
      }),
      { text: 'looked' },
      { text: 'read the rest' },
    ],
  });

  await given.conversation.say('go');
  await given.conversation.idle();

  const told = given.notices().map(({ completionIds }) => completionIds);
  expect(told).toEqual([['n0'], ['n1'], ['n2'], ['n3'], ['n4'], ['n5', 'n6']]);
  expect(given.turns()).toBe(2);
});

test("a person's words are heard at every safe point", async () => {
  const look = { calls: [{ name: 'list_processes', arguments: {} }] };
  const heard: string[] = [];
  await using given = arrange({
    steps: [
      ...Array.from({ length: 9 }, (_, index) => (messages: readonly ChatMessage[]) => {
        heard.push(messages.findLast(({ role }) => role === 'user')?.text ?? '');
        given.conversation.notify({ id: `n${index}`, source: 'a test', text: `news ${index}` });
        void given.conversation.say(index === 7 ? 'STOP' : `word ${index}`);
        return look;
      }),
      (messages) => {
        heard.push(messages.findLast(({ role }) => role === 'user')?.text ?? '');
        return { text: 'stopped' };
      },
    ],
  });

  await given.conversation.say('go');

  expect(heard).toEqual([
    'go',
    ...Array.from({ length: 7 }, (_, index) => `word ${index}`),
    'STOP',
    'word 8',
  ]);
});

test('closing ends a model that is speaking', async () => {
  const speaking = gate();
  await using given = arrange({
    steps: [
      (_, { signal }) => {
        speaking.open();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    ],
  });
  const said = given.conversation.say('go');
  await speaking.passed;

  await given.conversation.close();

  expect(await said).toEqual({ type: 'closed' });
});

test.for([
  [
    'an unknown tool',
    { name: 'run_comand', argumentsText: '{}' },
    'There is no tool "run_comand". Did you mean run_command?',
  ],
  ['broken arguments', { name: 'run_command', argumentsText: '{"command": "l' }, 'are not valid JSON'],
  ['arguments of another shape', { name: 'run_command', argumentsText: '["ls"]' }, 'must be one JSON object'],
] as const)('%s is an answer', async ([, call, expected]) => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const replies: ChatDelta[][] = [
    [{ type: 'toolCall', id: 'a', ...call }],
    [{ type: 'text', text: 'sorry' }],
  ];
  await using conversation = createConversation({
    supervisor,
    model: {
      name: 'clumsy',
      async *stream() {
        yield* replies.shift() ?? [];
      },
    },
  });

  const outcome = await conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'sorry' });
  expect(conversation.transcript.find(({ role }) => role === 'tool')?.text).toContain(
    JSON.stringify(expected).slice(1, -1),
  );
});

/** Each call has its one result, directly behind the message that asked for it, in the same order. */
function expectResultsBehindCalls(
  transcript: ReturnType<typeof arrange>['conversation']['transcript'],
): void {
  for (const [index, message] of transcript.entries()) {
    if (message.role !== 'assistant') continue;
    const results = transcript.slice(index + 1, index + 1 + message.toolCalls.length);
    expect(results.map((result) => (result.role === 'tool' ? result.callId : result.role))).toEqual(
      message.toolCalls.map(({ id }) => id),
    );
  }
}
