import { expect, test } from 'vitest';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { collectReply } from '../../src/models/collect-reply.ts';
import { ModelError } from '../../src/models/model-error.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';

const request = { messages: [], tools: [], signal: new AbortController().signal };

test('a step is streamed in pieces', async () => {
  const model = createScriptedModel([
    { text: 'I look around.', calls: [{ name: 'run_command', arguments: { command: 'ls' } }] },
  ]);

  const deltas = await Array.fromAsync(model.stream(request));

  expect(deltas).toEqual([
    { type: 'text', text: 'I ' },
    { type: 'text', text: 'look ' },
    { type: 'text', text: 'around.' },
    { type: 'toolCall', id: 'call_1_1', name: 'run_command' },
    { type: 'toolCall', id: 'call_1_1', argumentsText: '{"command":"ls"}' },
  ]);
});

test('a step may depend on what was said', async () => {
  const model = createScriptedModel([(messages) => ({ text: `${messages.length}` })]);
  const messages: ChatMessage[] = [{ role: 'user', text: 'how many?' }];

  const deltas = await Array.fromAsync(model.stream({ ...request, messages }));

  expect(deltas).toEqual([{ type: 'text', text: '1' }]);
});

test('a script that has ended fails with an explanation', async () => {
  const model = createScriptedModel([]);

  const reply = Array.fromAsync(model.stream(request));

  await expect(reply).rejects.toThrow('The script has ended: it has 0 steps.');
});

test('an aborted reply stops in the middle', async () => {
  const model = createScriptedModel([{ text: 'one two three' }]);
  const abort = new AbortController();
  const heard: string[] = [];

  const reply = (async () => {
    for await (const delta of model.stream({ ...request, signal: abort.signal })) {
      if (delta.type === 'text') heard.push(delta.text);
      abort.abort();
    }
  })();

  await expect(reply).rejects.toThrow('aborted');
  expect(heard).toEqual(['one ']);
});

test('the model repeats the fallback after the last step', async () => {
  const model = createScriptedModel([{ text: 'one' }], { fallback: { text: 'again' } });

  const texts = [];
  for (let turn = 0; turn < 3; turn += 1) texts.push(await Array.fromAsync(model.stream(request)));

  expect(texts.flat()).toEqual(['one', 'again', 'again'].map((text) => ({ type: 'text', text })));
});

test('a step may be a failure', async () => {
  const model = createScriptedModel([new ModelError({ failure: 'cut', message: 'gone' }), { text: 'back' }]);

  await expect(Array.fromAsync(model.stream(request))).rejects.toMatchObject({ failure: 'cut' });

  expect(await Array.fromAsync(model.stream(request))).toEqual([{ type: 'text', text: 'back' }]);
});

test('a script may break its arguments', async () => {
  const model = createScriptedModel([{ calls: [{ name: 'look', argumentsText: '{"x":' }] }]);

  const reply = await collectReply(model.stream(request), { onText: () => {} });

  expect(reply.toolCalls).toEqual([{ id: 'call_1_1', name: 'look', argumentsText: '{"x":' }]);
});

test('a new program repeats no id of the transcript', async () => {
  const steps = [{ calls: [{ name: 'look', arguments: {} }] }];
  const first = await collectReply(createScriptedModel(steps).stream(request), { onText: () => {} });

  const resumed = createScriptedModel(steps).stream({ ...request, messages: [first] });
  const second = await collectReply(resumed, { onText: () => {}, messages: [first] });

  expect(second.toolCalls[0]?.id).not.toBe(first.toolCalls[0]?.id);
});
