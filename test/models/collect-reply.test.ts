import { expect, test } from 'vitest';
import type { ChatDelta, ChatMessage } from '../../src/models/chat-model.ts';
import { collectReply } from '../../src/models/collect-reply.ts';

async function collect(deltas: readonly ChatDelta[], messages: readonly ChatMessage[] = []) {
  const heard: string[] = [];
  const reply = await collectReply(streamOf(deltas), { onText: (text) => heard.push(text), messages });
  return { ...reply, heard };
}

async function* streamOf(deltas: Iterable<ChatDelta>): AsyncGenerator<ChatDelta> {
  yield* deltas;
}

test('text is joined and told piece by piece', async () => {
  const { text, heard } = await collect([
    { type: 'text', text: 'one ' },
    { type: 'text', text: '' },
    { type: 'text', text: 'two' },
  ]);

  expect(text).toBe('one two');
  expect(heard).toEqual(['one ', 'two']);
});

test('interleaved calls keep their arguments apart', async () => {
  const { toolCalls } = await collect([
    { type: 'toolCall', id: 'a', name: 'read' },
    { type: 'toolCall', id: 'b', name: 'write', argumentsText: '{"y"' },
    { type: 'toolCall', id: 'a', argumentsText: '{"x":1}' },
    { type: 'toolCall', id: 'b', argumentsText: ':2}' },
  ]);

  expect(toolCalls).toEqual([
    { id: 'a', name: 'read', argumentsText: '{"x":1}' },
    { id: 'b', name: 'write', argumentsText: '{"y":2}' },
  ]);
});

test('two calls with one id become two', async () => {
  const { toolCalls } = await collect([
    { type: 'toolCall', id: 'call_0', name: 'read', argumentsText: '{"x":1}' },
    { type: 'toolCall', id: 'call_0', name: 'read', argumentsText: '{"x":2}' },
  ]);

  expect(toolCalls.map(({ argumentsText }) => argumentsText)).toEqual(['{"x":1}', '{"x":2}']);
  expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
});

test('an id of an earlier call is not given again', async () => {
  const before: ChatMessage[] = [
    { role: 'assistant', text: '', toolCalls: [{ id: 'call_0', name: 'read', argumentsText: '{}' }] },
    { role: 'tool', callId: 'call_0', name: 'read', text: '{}' },
  ];

  const { toolCalls } = await collect([{ type: 'toolCall', id: 'call_0', name: 'read' }], before);

  expect(toolCalls[0]?.id).toBe('call_0_2');
});

test('calls without ids get their own', async () => {
  const { toolCalls } = await collect([
    { type: 'toolCall', id: '', name: 'read' },
    { type: 'toolCall', id: '', name: 'read' },
  ]);

  expect(toolCalls.map(({ id }) => id)).toEqual([
    expect.stringMatching(/^call_\w+$/),
    expect.stringMatching(/^call_\w+$/),
  ]);
  expect(toolCalls[0]?.id).not.toBe(toolCalls[1]?.id);
});

test.each([undefined, '', ' '])('a call named %j is called unnamed', async (name) => {
  const { toolCalls } = await collect([
    { type: 'toolCall', id: 'a', argumentsText: '{}', ...(name !== undefined && { name }) },
  ]);

  expect(toolCalls).toEqual([{ id: 'a', name: 'unnamed_tool', argumentsText: '{}' }]);
});

test('an empty reply is empty', async () => {
  const reply = await collectReply(streamOf([]), { onText: () => {} });

  expect(reply).toEqual({ role: 'assistant', text: '', toolCalls: [] });
});

test('data of the provider stays with the reply', async () => {
  const { providerData } = await collect([
    { type: 'text', text: 'x' },
    { type: 'providerData', data: { from: 'a', signature: 'b' } },
  ]);

  expect(providerData).toEqual({ from: 'a', signature: 'b' });
});

test.each([
  ['text', { type: 'text', text: 'x'.repeat(2 ** 20) }],
  ['arguments', { type: 'toolCall', id: 'a', argumentsText: 'x'.repeat(2 ** 20) }],
] as const)('%s without end is stopped', async (_, delta) => {
  let isClosed = false;
  async function* forever(): AsyncGenerator<ChatDelta> {
    try {
      for (;;) yield delta;
    } finally {
      isClosed = true;
    }
  }

  const reply = collectReply(forever(), { onText: () => {} });

  await expect(reply).rejects.toMatchObject({ name: 'ModelError', failure: 'invalid' });
  expect(isClosed).toBe(true);
});

test('calls without end are stopped', async () => {
  const calls = Array.from(
    { length: 257 },
    (_, index): ChatDelta => ({ type: 'toolCall', id: `${index}`, name: 'a' }),
  );

  await expect(collect(calls)).rejects.toThrow('more than 256 calls');
});
