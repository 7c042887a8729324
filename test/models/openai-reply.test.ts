import { expect, test } from 'vitest';
import type { ChatDelta } from '../../src/models/chat-model.ts';
import { createReplyReader } from '../../src/models/openai-reply.ts';

function read(chunks: readonly unknown[]): readonly ChatDelta[] {
  const reader = createReplyReader({ address: 'http://x/v1', model: 'm' });
  const deltas = chunks.flatMap((chunk) =>
    reader.read(typeof chunk === 'string' ? chunk : JSON.stringify(chunk)),
  );
  return [...deltas, ...reader.end()];
}

const piece = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ delta, finish_reason }],
});
const stop = piece({}, 'stop');
const toolCall = (fields: object) => piece({ tool_calls: [fields] });

/** What the deltas come to, by the ids in them. */
function callsIn(deltas: readonly ChatDelta[]): Record<string, string> {
  const calls: Record<string, string> = {};
  for (const delta of deltas) {
    if (delta.type !== 'toolCall') continue;
    calls[delta.id] = `${calls[delta.id] ?? ''}${delta.name ?? ''}${delta.argumentsText ?? ''}`;
  }
  return calls;
}

test('text comes in pieces', () => {
  const deltas = read([
    piece({ role: 'assistant', content: '' }),
    piece({ content: 'a' }),
    piece({ content: 'b' }),
    stop,
  ]);

  expect(deltas).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]);
});

test('interleaved calls are distinguished by index', () => {
  const deltas = read([
    toolCall({ index: 0, id: 'a', function: { name: 'read', arguments: '' } }),
    toolCall({ index: 1, id: 'b', function: { name: 'write', arguments: '{"y"' } }),
    toolCall({ index: 0, function: { arguments: '{"x":1}' } }),
    toolCall({ index: 1, function: { arguments: ':2}' } }),
    piece({}, 'tool_calls'),
  ]);

  expect(callsIn(deltas)).toEqual({ a: 'read{"x":1}', b: 'write{"y":2}' });
});

test.each([
  ['id', { index: 0, id: 'a', function: { arguments: '1}' } }],
  ['id and name', { index: 0, id: 'a', function: { name: 'read', arguments: '1}' } }],
  ['nothing', { function: { arguments: '1}' } }],
])('a call continues when %s is repeated', (_, more) => {
  const deltas = read([
    toolCall({ index: 0, id: 'a', function: { name: 'read', arguments: '{"x":' } }),
    toolCall(more),
    stop,
  ]);

  expect(callsIn(deltas)).toEqual({ a: 'read{"x":1}' });
});

test.each([
  ['with one index', 0],
  ['without an index', undefined],
])('calls %s are distinguished by id', (_, index) => {
  const deltas = read([
    toolCall({ index, id: 'a', function: { name: 'read', arguments: '{"x":1}' } }),
    toolCall({ index, id: 'b', function: { name: 'read', arguments: '{"x":2}' } }),
    stop,
  ]);

  expect(callsIn(deltas)).toEqual({ a: 'read{"x":1}', b: 'read{"x":2}' });
});

test('arguments may come before the name', () => {
  const deltas = read([
    toolCall({ index: 0, id: 'a', function: { arguments: '{"x"' } }),
    toolCall({ index: 0, function: { name: 'read', arguments: ':1}' } }),
    stop,
  ]);

  expect(callsIn(deltas)).toEqual({ a: 'read{"x":1}' });
});

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['one that another call has', 'a'],
])('an id is made where there is %s', (_, id) => {
  const deltas = read([
    toolCall({ index: 0, id, function: { name: 'read', arguments: '{}' } }),
    toolCall({ index: 1, id, function: { name: 'write', arguments: '{}' } }),
    stop,
  ]);

  expect(Object.values(callsIn(deltas))).toEqual(['read{}', 'write{}']);
});

test.each([
  ['with one index', 0],
  ['without an index', undefined],
])('calls %s and without ids are kept apart', (_, index) => {
  const deltas = read([
    toolCall({ index, function: { name: 'read', arguments: '{"x":' } }),
    toolCall({ index, function: { arguments: '1}' } }),
    toolCall({ index, function: { name: 'write', arguments: '' } }),
    toolCall({ index, function: { arguments: '{"y":2}' } }),
    toolCall({ index, function: { name: 'write', arguments: '{"y":3}' } }),
    stop,
  ]);

  expect(Object.values(callsIn(deltas))).toEqual(['read{"x":1}', 'write{"y":2}', 'write{"y":3}']);
});

test('a call without an id continues when its name is repeated', () => {
  const deltas = read([
    ...['', '{"x":', '1}', ''].map((text) =>
      toolCall({ index: 0, function: { name: 'read', arguments: text } }),
    ),
    stop,
  ]);

  expect(Object.values(callsIn(deltas))).toEqual(['read{"x":1}']);
});

test('a call without a name is passed on', () => {
  const deltas = read([toolCall({ index: 0, id: 'a', function: { arguments: '{}' } }), stop]);

  expect(deltas).toEqual([{ type: 'toolCall', id: 'a', argumentsText: '{}' }]);
});

test('a reply at once takes the same path', () => {
  const message = {
    role: 'assistant',
    content: 'both',
    tool_calls: [
      { id: 'a', function: { name: 'read', arguments: { x: 1 } } },
      { id: 'a', function: { name: 'read', arguments: '{"x":2}' } },
    ],
  };

  const deltas = read([{ choices: [{ message, finish_reason: 'tool_calls' }] }]);

  expect(deltas[0]).toEqual({ type: 'text', text: 'both' });
  expect(Object.values(callsIn(deltas))).toEqual(['read{"x":1}', 'read{"x":2}']);
});

test('text in parts and refusals are text', () => {
  const parts = [
    { type: 'thinking', thinking: [] },
    { type: 'text', text: 'a' },
  ];

  const deltas = read([piece({ content: parts }), piece({ refusal: 'no' }), stop]);

  expect(deltas).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'no' },
  ]);
});

test('a chunk without choices says nothing', () => {
  expect(read([{ choices: [], usage: { total_tokens: 1 } }, { choices: null }, stop, '[DONE]'])).toEqual([]);
});

test('an empty reason is no end', () => {
  expect(() => read([piece({ content: 'a' }, '')])).toThrow('ended its reply in the middle');
});

test('events of another shape are skipped', () => {
  const deltas = read([piece({ content: 'a', reasoning_content: {}, reasoning_details: 'x' }), stop]);

  expect(deltas).toEqual([{ type: 'text', text: 'a' }]);
});

test('thoughts and signatures stay with the calls', () => {
  const deltas = read([
    piece({ reasoning_content: 'I ' }),
    piece({
      reasoning_content: 'see',
      reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I ' }],
    }),
    piece({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'see', signature: 's' }] }),
    toolCall({
      index: 0,
      id: 'a',
      function: { name: 'read', arguments: '{}' },
      extra_content: { google: { thought_signature: 't' } },
    }),
    stop,
  ]);

  expect(deltas.at(-1)).toEqual({
    type: 'providerData',
    data: {
      from: 'openai',
      model: 'm',
      reasoning_content: 'I see',
      reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I see', signature: 's' }],
      extras: { 0: { google: { thought_signature: 't' } } },
    },
  });
});

test.each([
  ['is broken', ['{"choices":'], 'invalid', 'sent something that is not part of a reply'],
  ['is of another kind', [{ choices: 'x' }], 'invalid', 'sent something that is not part of a reply'],
  ['does not end', [piece({ content: 'a' })], 'cut', 'ended its reply in the middle'],
  ['is filtered', [piece({ content: 'a' }, 'content_filter')], 'refused', 'content filter'],
  ['is too short for a word', [piece({ content: '' }, 'length')], 'refused', 'raise "maxTokens"'],
  ['holds an error', [{ error: { message: 'boom' } }], 'unavailable', 'stopped the reply: boom.'],
  ['holds a status', [{ error: { code: 429, message: 'slow' } }], 'rateLimited', 'stopped the reply: slow.'],
  ['holds a code', [{ error: { type: 'invalid_request_error', message: 'no' } }], 'refused', 'no.'],
  ['holds a text', [{ error: 'out of memory' }], 'unavailable', 'out of memory'],
] as const)('a stream that %s fails with an explanation', (_, chunks, failure, words) => {
  expect(() => read(chunks)).toThrow(
    expect.objectContaining({ failure, message: expect.stringContaining(words) }),
  );
});
