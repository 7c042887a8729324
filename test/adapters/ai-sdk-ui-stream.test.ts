import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { type AiSdkUiChunk, toUiMessageStream } from '../../src/adapters/ai-sdk-ui-stream.ts';
import type { Conversation } from '../../src/conversation/conversation.ts';
import type { ConversationEvent, TurnOutcome } from '../../src/conversation/conversation-event.ts';
import type { ChatMessage, ToolCall } from '../../src/models/chat-model.ts';

/** The chunks of a turn with these events and this outcome. */
async function play(
  events: readonly ConversationEvent[],
  outcome: TurnOutcome = { type: 'answered', text: '' },
): Promise<readonly AiSdkUiChunk[]> {
  const { conversation, events$, turn } = createFakeConversation();
  const stream = toUiMessageStream(conversation, 'Build.');
  for (const event of events) events$.next(event);
  turn.resolve(outcome);
  return Array.fromAsync(stream as unknown as AsyncIterable<AiSdkUiChunk>);
}

function createFakeConversation() {
  const events$ = new Subject<ConversationEvent>();
  const turn = Promise.withResolvers<TurnOutcome>();
  const said: string[] = [];
  const say = (text: string) => {
    said.push(text);
    return turn.promise;
  };
  return { conversation: { events$, say } as unknown as Conversation, events$, turn, said };
}

const written = (text: string): ConversationEvent => ({ type: 'text.written', text });
const recorded = (message: object): ConversationEvent => ({
  type: 'message.recorded',
  message: message as ChatMessage,
});
const replied = (text: string, ...toolCalls: ToolCall[]) => recorded({ role: 'assistant', text, toolCalls });
const makes = (id: string, argumentsText = '{"target":"all"}'): ToolCall => ({
  ...{ id, name: 'build', argumentsText },
});
const answered = (id: string, answer: object): ConversationEvent => ({
  ...{ type: 'tool.answered', call: makes(id), answer: answer as never },
});

const textOf = (id: string, ...deltas: string[]) => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];
const inputOf = (toolCallId: string, input: unknown = { target: 'all' }) => ({
  ...{ type: 'tool-input-available', toolCallId, toolName: 'build', input, dynamic: true },
});
const [begin, end] = [{ type: 'start-step' }, { type: 'finish-step' }];

test('text is streamed as the model writes it, in one step', async () => {
  expect(await play([written('It '), written('is.'), replied('It is.')])).toEqual([
    ...[{ type: 'start' }, begin, ...textOf('text-1', 'It ', 'is.'), end, { type: 'finish' }],
  ]);
});

test('text of a model that does not stream comes with its message', async () => {
  expect(await play([replied('It is.')])).toEqual([
    ...[{ type: 'start' }, begin, ...textOf('text-1', 'It is.'), end, { type: 'finish' }],
  ]);
});

test('a reply without text and calls is an empty step', async () => {
  expect(await play([replied('')])).toEqual([{ type: 'start' }, begin, end, { type: 'finish' }]);
});

test('a step ends with the last answer to its calls', async () => {
  const events = [
    ...[replied('I build.', makes('1'), makes('2', 'not JSON'))],
    ...[answered('2', { ok: true, data: 7 }), answered('1', { ok: false, error: 'Broken.' })],
    replied('Done.'),
  ];

  expect(await play(events)).toEqual([
    ...[{ type: 'start' }, begin, ...textOf('text-1', 'I build.'), inputOf('1'), inputOf('2', 'not JSON')],
    { type: 'tool-output-available', toolCallId: '2', dynamic: true, output: { ok: true, data: 7 } },
    { type: 'tool-output-error', toolCallId: '1', dynamic: true, errorText: 'Broken.' },
    ...[end, begin, ...textOf('text-2', 'Done.'), end, { type: 'finish' }],
  ]);
});

test('an error with data is shown with both', async () => {
  const chunks = await play([
    replied('', makes('1')),
    answered('1', { ok: false, error: 'Failed.', data: { exit_code: 3 } }),
  ]);

  expect(chunks[3]).toEqual({
    ...{ type: 'tool-output-available', toolCallId: '1', dynamic: true },
    output: { ok: false, error: 'Failed.', data: { exit_code: 3 } },
  });
});

test('a notice and a message of the user stand where they came, without what was said', async () => {
  const chunks = await play([
    recorded({ role: 'user', text: 'Build.' }),
    recorded({ role: 'notice', text: 'It ended.', completionIds: ['a', 'b'] }),
    recorded({ role: 'user', text: 'Faster!' }),
    recorded({ role: 'user', text: 'Build.' }),
    recorded({ role: 'system', text: 'Hidden.' }),
  ]);

  expect(chunks).toEqual([
    { type: 'start' },
    { type: 'data-notice', id: 'a b', data: { text: 'It ended.', completionIds: ['a', 'b'] } },
    { type: 'steering-message', id: 'message-2', parts: [{ type: 'text', text: 'Faster!' }] },
    { type: 'steering-message', id: 'message-3', parts: [{ type: 'text', text: 'Build.' }] },
    { type: 'finish' },
  ]);
});

test('a message that came before what was said is shown', async () => {
  expect(await play([recorded({ role: 'user', text: 'Earlier.' })])).toMatchObject([
    ...[{ type: 'start' }, { type: 'steering-message', id: 'message-1' }, { type: 'finish' }],
  ]);
});

test('discarded text is taken back, and the step goes on', async () => {
  const events: readonly ConversationEvent[] = [
    { type: 'text.discarded' },
    written('Half'),
    { type: 'text.discarded' },
    written('Whole.'),
    replied('Whole.'),
  ];

  expect(await play(events)).toEqual([
    ...[{ type: 'start' }, begin, { type: 'text-start', id: 'text-1' }],
    ...[{ type: 'text-delta', id: 'text-1', delta: 'Half' }, { type: 'reset-step' }],
    ...[...textOf('text-1', 'Whole.'), end, { type: 'finish' }],
  ]);
});

test.for([
  [{ type: 'answered', text: '' }, []],
  [{ type: 'interrupted' }, [{ type: 'abort' }]],
  [{ type: 'failed', error: 'Gone.' }, [{ type: 'error', errorText: 'Gone.' }]],
  [
    { type: 'stepLimit', maxSteps: 3 },
    [{ type: 'error', errorText: 'The agent stopped after 3 steps, its limit in one turn.' }],
  ],
  [{ type: 'closed' }, [{ type: 'error', errorText: 'The conversation is closed.' }]],
] as const)('a turn that ends as %j closes what is open', async ([outcome, chunks]) => {
  expect(await play([written('Half')], outcome)).toEqual([
    ...[{ type: 'start' }, begin, ...textOf('text-1', 'Half'), end, ...chunks, { type: 'finish' }],
  ]);
});

test('a message that cannot be said is an error of the stream', async () => {
  const { conversation, turn, events$, said } = createFakeConversation();
  const stream = toUiMessageStream(conversation, 'Build.');
  turn.reject(new Error('inbox-full'));

  await expect(Array.fromAsync(stream as unknown as AsyncIterable<unknown>)).rejects.toThrow('inbox-full');
  expect(said).toEqual(['Build.']);
  expect(events$.observed).toBe(false);
});

test('a cancelled stream hears nothing more, and the turn goes on', async () => {
  const { conversation, events$, turn } = createFakeConversation();
  const reader = toUiMessageStream(conversation, 'Build.').getReader();
  const heardBefore = events$.observed;

  await reader.cancel();
  await Promise.resolve();
  turn.resolve({ type: 'answered', text: '' });
  await turn.promise;

  expect([heardBefore, events$.observed]).toEqual([true, false]);
  expect(await reader.read()).toEqual({ done: true, value: undefined });
});
