import { expect, test } from 'vitest';
import type { ConversationOptions } from '../../src/conversation/conversation.ts';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createSupervisor } from '../../src/index.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { arrange, gate, toolThat } from './arrange.ts';

test.for<[string, object, string | RegExp]>([
  ['no model', { model: undefined }, '"model"'],
  ['a model of another kind', { model: { name: 'x' } }, 'a ChatModel'],
  ['no supervisor', { supervisor: {} }, 'a Supervisor'],
  ['an id with a slash', { id: '../etc' }, '"id"'],
  ['no step at all', { maxSteps: 0 }, '"maxSteps"'],
  ['half a call', { maxParallelTools: 0.5 }, '"maxParallelTools"'],
  ['a retry that is no number', { retry: { maxRetries: '3' } }, 'maxRetries'],
  ['a pause that is no time', { retry: { minBackoff: 'soon' } }, 'minBackoff'],
  ['a misspelt option', { maxStep: 3 }, /maxStep.*maxSteps/],
  ['tools of another kind', { tools: [{ name: 'x' }] }, 'defineTool'],
  ['a journal of another kind', { journal: '/tmp/talk' }, 'a Journal'],
  ['too short a memory', { maxMessages: 2 }, '"maxMessages"'],
])('%s is refused with its name', ([, wrong, expected]) => {
  const supervisor = createSupervisor({ stateDirectory: false });
  const options = { supervisor, model: createScriptedModel([]), ...wrong } as unknown as ConversationOptions;

  expect(() => createConversation(options)).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: expect.stringMatching(expected),
    }),
  );
});

test.for<[string, (given: ReturnType<typeof arrange>) => Promise<unknown>, string]>([
  ['shorten', ({ conversation }) => conversation.shorten({ keepMessages: -1 }), 'keepMessages'],
  ['finish', ({ conversation }) => conversation.finish({ background: 'wait', wait: 'long' as '1s' }), 'wait'],
])('%s refuses what it cannot do', async ([, ask, expected]) => {
  await using given = arrange({ steps: [] });

  await expect(ask(given)).rejects.toThrow(expected);
});

test('no more calls run at once than allowed', async () => {
  const hold = gate();
  let running = 0;
  let most = 0;
  const calls = Array.from({ length: 7 }, () => ({ name: 'work', arguments: {} }));
  await using given = arrange({
    steps: [{ calls: calls.slice(0, 4) }, { text: 'done' }],
    tools: [
      toolThat('work', async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 2) setImmediate(hold.open);
        await hold.passed;
        running -= 1;
        return { ok: true, data: null };
      }),
    ],
    more: { maxParallelTools: 2 },
  });

  await given.conversation.say('go');

  expect(most).toBe(2);
  expect(given.answers()).toHaveLength(4);
});

test('the system prompt is the first message to the model', async () => {
  const seen: string[][] = [];
  await using given = arrange({
    steps: [
      (messages) => {
        seen.push(messages.map(({ role }) => role));
        return { text: 'yes' };
      },
    ],
    more: { systemPrompt: 'Be brief.' },
  });

  await given.conversation.say('go');

  expect(seen).toEqual([['system', 'user']]);
});
