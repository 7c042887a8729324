import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { describe, expect, test } from 'vitest';
import { createAiSdkModel } from '../../src/models/ai-sdk.ts';
import type { ChatMessage, ChatModel } from '../../src/models/chat-model.ts';
import { createOpenAiModel } from '../../src/models/openai-compatible.ts';
import { anthropicFormat, type Format, geminiFormat, openAiFormat } from './formats.ts';
import { call, lookTool, notice, reply, result, user } from './messages.ts';
import { sendJson, startRawEndpoint } from './raw-endpoint.ts';

const system: ChatMessage = { role: 'system', text: 'You are tested.' };
const twoCalls = [reply('I look twice.', [call('a'), call('b')]), result('a'), result('b')];

/** Everything that a conversation can have at a moment when its model is asked. */
const transcripts: Readonly<Record<string, readonly ChatMessage[]>> = {
  'a first message': [system, user('U1')],
  'a notice at the beginning': [system, notice('N1')],
  'a notice after tool results': [system, user('U1'), ...twoCalls, notice('N1')],
  'a notice after the final answer': [system, user('U1'), reply('Done.'), notice('N1')],
  'a notice and a message at once': [system, user('U1'), reply('Done.'), notice('N1'), user('U2')],
  'a notice and a message after results': [system, user('U1'), ...twoCalls, notice('N1'), user('U2')],
  'two notices': [system, user('U1'), reply('Done.'), notice('N1'), notice('N2')],
  'a notice while the model had failed': [system, user('U1'), notice('N1')],
  'calls without a text': [system, user('U1'), reply('', [call('a')]), result('a')],
  'two steps of calls': [system, user('U1'), ...twoCalls, reply('', [call('c')]), result('c')],
  'broken arguments': [system, user('U1'), reply('', [call('a', '{"x":')]), result('a')],
  'an answer that is missing': [
    system,
    user('U1'),
    reply('', [call('a'), call('b')]),
    result('b'),
    notice('N1'),
  ],
  'a result that came late': [system, user('U1'), reply('', [call('a')]), notice('N1'), result('a')],
  'an empty answer': [system, user('U1'), reply(''), notice('N1')],
  'a shortened transcript': [
    system,
    notice('N1'),
    reply('', [call('a')]),
    result('a'),
    reply('Ok.'),
    user('U1'),
  ],
};

const providers: Readonly<Record<string, { format: Format; create: (url: string) => ChatModel }>> = {
  OpenAI: {
    format: openAiFormat,
    create: (url) => createOpenAiModel({ baseUrl: url, model: 'gpt-test' }),
  },
  Anthropic: {
    format: anthropicFormat,
    create: (url) => createAiSdkModel(createAnthropic({ baseURL: url, apiKey: 'k' })('claude-sonnet-4-5')),
  },
  Gemini: {
    format: geminiFormat,
    create: (url) => createAiSdkModel(createGoogle({ baseURL: url, apiKey: 'k' })('gemini-3-pro-preview')),
  },
};

/** The body of the request that these messages become, as it is on the wire. */
async function bodyOf(
  messages: readonly ChatMessage[],
  create: (url: string) => ChatModel,
): Promise<unknown> {
  await using endpoint = await startRawEndpoint((exchange) =>
    sendJson(exchange, { status: 400, body: { error: { message: 'seen' } } }),
  );
  const request = { messages, tools: [lookTool], signal: new AbortController().signal };
  await expect(Array.fromAsync(create(endpoint.url).stream(request))).rejects.toThrow('seen');
  return endpoint.exchanges[0]?.body;
}

describe.each(Object.entries(providers))('%s', (_, { format, create }) => {
  test.each(Object.entries(transcripts))('takes %s', async (_, messages) => {
    const body = await bodyOf(messages, create);

    expect(format.findViolations(body)).toEqual([]);
    expect(format.systemOf(body)).toBe('You are tested.');
    expect(format.userTextsOf(body)).toEqual(
      messages.flatMap(({ role, ...message }) =>
        (role === 'user' || role === 'notice') && 'text' in message ? [message.text] : [],
      ),
    );
  });

  test.each(Object.entries(transcripts))('keeps its cache when a notice follows %s', async (_, messages) => {
    const before = await bodyOf(messages, create);
    const after = await bodyOf([...messages, notice('N9')], create);

    const earlier = format.piecesOf(before);
    expect(format.piecesOf(after).slice(0, earlier.length)).toEqual(earlier);
    expect(format.piecesOf(after).slice(earlier.length)).toEqual([format.userPiece('N9')]);
    expect({ ...(after as object), ...format.without }).toEqual({ ...(before as object), ...format.without });
  });
});

test('OpenAI’s earlier messages keep their bytes', async () => {
  const { create } = providers['OpenAI'] ?? expect.fail();
  for (const messages of Object.values(transcripts)) {
    const before = await bodyOf(messages, create);
    const after = await bodyOf([...messages, notice('N9')], create);

    const bytes = JSON.stringify((before as { messages: unknown }).messages).slice(0, -1);
    expect(JSON.stringify((after as { messages: unknown }).messages).startsWith(bytes)).toBe(true);
  }
});

test.each([
  [
    'OpenAI',
    openAiFormat,
    (url: string) => createOpenAiModel({ baseUrl: url, model: 'm', alternation: 'strict' }),
  ],
  [
    'Gemini',
    geminiFormat,
    (url: string) =>
      createAiSdkModel(createGoogle({ baseURL: url, apiKey: 'k' })('gemini-3-pro-preview'), {
        alternation: 'strict',
      }),
  ],
] as const)('%s gets roles that alternate on demand', async (_, format, create) => {
  for (const messages of Object.values(transcripts)) {
    const roles = format.rolesOf(await bodyOf(messages, create));

    expect(roles.filter((role, place) => role === roles[place + 1])).toEqual([]);
    expect(roles.join(' ')).not.toContain('tool user');
  }
});
