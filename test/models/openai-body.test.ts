import { expect, test } from 'vitest';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { toChatBody } from '../../src/models/openai-body.ts';
import { call, notice, reply, result, user } from './messages.ts';

const settings = {
  model: 'm',
  baseUrl: 'http://x/v1',
  temperature: undefined,
  maxTokens: undefined,
  alternation: 'free',
} as const;

const messagesOf = (
  messages: readonly ChatMessage[],
  changes: Partial<Parameters<typeof toChatBody>[1]> = {},
) => toChatBody({ messages, tools: [] }, { ...settings, ...changes })['messages'];

test('each message has its form', () => {
  const messages = messagesOf([user('U'), reply('', [call('a')]), result('a'), notice('N'), reply('R')]);

  expect(messages).toEqual([
    { role: 'user', content: 'U' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"x":1}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: result('a').text },
    { role: 'user', content: 'N' },
    { role: 'assistant', content: 'R' },
  ]);
});

test('strict roles make texts parts of one message', () => {
  const messages = messagesOf([notice('N'), user('U')], { alternation: 'strict' });

  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'N' },
        { type: 'text', text: 'U' },
      ],
    },
  ]);
});

test.each([
  ['https://api.openai.com/v1', 'max_completion_tokens'],
  ['https://me.openai.azure.com/openai/v1', 'max_completion_tokens'],
  ['http://127.0.0.1:11434/v1', 'max_tokens'],
  ['https://notopenai.com/v1', 'max_tokens'],
])('%s calls its limit %s', (baseUrl, name) => {
  expect(toChatBody({ messages: [], tools: [] }, { ...settings, baseUrl, maxTokens: 7 })).toMatchObject({
    [name]: 7,
  });
});

const thoughts = {
  from: 'openai',
  model: 'm',
  reasoning_content: 'I see',
  reasoning_details: [{ type: 'reasoning.text' }],
  extras: { 1: { google: { thought_signature: 't' } } },
};
const withThoughts = [
  { ...reply('', [call('a'), call('b')]), providerData: thoughts },
  result('a'),
  result('b'),
];

test('thoughts go back with their calls', () => {
  expect(messagesOf(withThoughts)).toMatchObject([
    {
      reasoning_content: 'I see',
      reasoning_details: [{ type: 'reasoning.text' }],
      tool_calls: [{ id: 'a' }, { id: 'b', extra_content: { google: { thought_signature: 't' } } }],
    },
    {},
    {},
  ]);
});

test('another model gets no thoughts', () => {
  const text = JSON.stringify(messagesOf(withThoughts, { model: 'other' }));

  expect(text).not.toContain('I see');
  expect(text).not.toContain('reasoning');
  expect(text).not.toContain('thought_signature');
});
