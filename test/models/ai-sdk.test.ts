import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test, vi } from 'vitest';
import { createAiSdkModel } from '../../src/models/ai-sdk.ts';
import type { ChatMessage, ChatModel } from '../../src/models/chat-model.ts';
import { collectReply } from '../../src/models/collect-reply.ts';
import type { ModelError } from '../../src/models/model-error.ts';
import { waitUntil } from '../support/os.ts';
import { lookTool, notice, reply, result, user } from './messages.ts';
import { startMockEndpoint } from './mock-endpoint.ts';
import { sendEvents, sendJson, startRawEndpoint, toEvents } from './raw-endpoint.ts';

const anthropic = (url: string): ChatModel =>
  createAiSdkModel(createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key-for-tests' })('claude-sonnet-4-5'));

const ask = (
  model: ChatModel,
  {
    messages = [user('hi')],
    signal = new AbortController().signal,
  }: { messages?: readonly ChatMessage[]; signal?: AbortSignal } = {},
) => collectReply(model.stream({ messages, tools: [lookTool], signal }), { onText: () => {} });

const failureOf = (pending: Promise<unknown>): Promise<ModelError> =>
  pending.then(
    () => expect.fail('there is a reply'),
    (error: ModelError) => error,
  );

type AnthropicBody = { readonly messages: readonly { readonly content: unknown }[] };

/** What Anthropic streams for one content block. */
function toBlock(index: number, start: object, deltas: readonly object[]): readonly object[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const messageStart = {
  type: 'message_start',
  message: { id: 'm', model: 'claude', role: 'assistant', usage: { input_tokens: 1, output_tokens: 1 } },
};
const messageEnd = [
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
];
const textBlock = toBlock(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'half' }]);

describe('at a mock endpoint', () => {
  test('text and parallel calls arrive', async () => {
    const calls = [
      { name: 'look', arguments: { x: 1 } },
      { name: 'look', arguments: { x: 2 } },
    ];
    await using endpoint = await startMockEndpoint([{ text: 'I look.', calls }]);

    const { text, toolCalls, providerData } = await ask(anthropic(endpoint.url));

    expect(text).toBe('I look.');
    expect(providerData).toBeUndefined();
    expect(toolCalls.map(({ argumentsText }) => argumentsText)).toEqual(['{"x":1}', '{"x":2}']);
  });

  test.each([
    [{ status: 429, message: 'Slow down', retryAfterSeconds: 7 }, 'rateLimited', 7_000],
    [{ status: 500, message: 'Broken' }, 'unavailable', null],
    [{ status: 529, message: 'Overloaded' }, 'unavailable', null],
    [{ status: 401, message: 'Who are you?' }, 'unauthorized', null],
    [{ status: 400, message: 'Too long' }, 'refused', null],
    [{ status: 400, message: 'prompt is too long: 208310 tokens > 200000 maximum' }, 'tooLong', null],
  ])('%j is %s', async (answer, failure, retryAfterMs) => {
    await using endpoint = await startMockEndpoint([answer]);

    const error = await failureOf(ask(anthropic(endpoint.url)));

    expect(error).toMatchObject({ name: 'ModelError', failure, retryAfterMs });
    expect(error.message).toContain(answer.message);
    expect(error.message).toContain(endpoint.url);
  });
});

describe('on Anthropic’s wire', () => {
  test('broken arguments are passed on', async () => {
    const block = toBlock(0, { type: 'tool_use', id: 'a', name: 'look', input: {} }, [
      { type: 'input_json_delta', partial_json: '{"x":' },
    ]);
    await using endpoint = await startRawEndpoint((exchange) =>
      sendEvents(exchange, [messageStart, ...block, ...messageEnd]),
    );

    const { toolCalls } = await ask(anthropic(endpoint.url));

    expect(toolCalls).toEqual([{ id: 'a', name: 'look', argumentsText: '{"x":' }]);
  });

  test('a stream that breaks off is cut', async () => {
    await using endpoint = await startRawEndpoint(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(toEvents([messageStart, ...textBlock]), () => response.destroy());
    });

    const error = await failureOf(ask(anthropic(endpoint.url)));

    expect(error).toMatchObject({ name: 'ModelError', failure: 'cut', isRetryable: true });
    expect(error.message).toContain('anthropic.messages/claude-sonnet-4-5 broke off its reply');
  });

  test('a stream that ends too early is cut', async () => {
    await using endpoint = await startRawEndpoint((exchange) =>
      sendEvents(exchange, [messageStart, ...textBlock]),
    );

    const error = await failureOf(ask(anthropic(endpoint.url)));

    expect(error).toMatchObject({ failure: 'cut' });
  });

  test('an overload in the stream is unavailable', async () => {
    await using endpoint = await startRawEndpoint((exchange) =>
      sendEvents(exchange, [
        messageStart,
        ...textBlock,
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ]),
    );

    const error = await failureOf(ask(anthropic(endpoint.url)));

    expect(error).toMatchObject({ failure: 'unavailable' });
    expect(error.message).toContain('Overloaded');
  });

  test('an endpoint that is down is named', async () => {
    const endpoint = await startRawEndpoint(() => {});
    await endpoint[Symbol.asyncDispose]();

    const error = await failureOf(ask(anthropic(endpoint.url)));

    expect(error).toMatchObject({ failure: 'unavailable' });
    expect(error.message).toBe(
      `Cannot reach ${endpoint.url}/v1/messages: no server listens there (ECONNREFUSED).`,
    );
  });

  test('a missing key names its variable', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', undefined);
    const model = createAiSdkModel(createAnthropic({ baseURL: 'http://127.0.0.1:1' })('claude-sonnet-4-5'));

    const error = await failureOf(ask(model));
    vi.unstubAllEnvs();

    expect(error).toMatchObject({ failure: 'unauthorized', isRetryable: false });
    expect(error.message).toContain('ANTHROPIC_API_KEY');
  });

  test('an abort closes the connection', async () => {
    await using endpoint = await startRawEndpoint(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(toEvents([messageStart, ...textBlock]));
    });
    const abort = new AbortController();

    const pending = ask(anthropic(endpoint.url), { signal: abort.signal });
    await waitUntil(() => endpoint.exchanges.length === 1);
    abort.abort(new Error('enough'));

    await expect(pending).rejects.toThrow('enough');
    await waitUntil(() => endpoint.exchanges[0]?.isLeft());
  });
});

describe('what only the provider can read', () => {
  test('Anthropic’s thoughts come back in their place', async () => {
    const events = [
      messageStart,
      ...toBlock(0, { type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: 'Let me ' },
        { type: 'thinking_delta', thinking: 'see.' },
        { type: 'signature_delta', signature: 'signed' },
      ]),
      ...toBlock(1, { type: 'redacted_thinking', data: 'hidden' }, []),
      ...toBlock(2, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'I look.' }]),
      ...toBlock(3, { type: 'tool_use', id: 'a', name: 'look', input: {} }, [
        { type: 'input_json_delta', partial_json: '{"x":1}' },
      ]),
      ...messageEnd,
    ];
    await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, events));

    const { text, transcript } = await askTwice(anthropic(endpoint.url));

    expect(text).toBe('I look.');
    expect(transcript).not.toHaveLength(0);
    const body = endpoint.exchanges[1]?.body as AnthropicBody | undefined;
    expect(body?.messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Let me see.', signature: 'signed' },
      { type: 'redacted_thinking', data: 'hidden' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'look', input: { x: 1 } },
    ]);
  });

  test('Gemini’s signatures come back with their calls', async () => {
    const parts = [
      { text: 'I look.', thoughtSignature: 'text-signed' },
      { functionCall: { name: 'look', args: { x: 1 } }, thoughtSignature: 'call-signed' },
      { functionCall: { name: 'look', args: { x: 2 } } },
    ];
    await using endpoint = await startRawEndpoint((exchange) =>
      sendEvents(exchange, [{ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }]),
    );
    const google = createGoogle({ baseURL: endpoint.url, apiKey: 'k' });

    await askTwice(createAiSdkModel(google('gemini-3-pro-preview')));

    const body = endpoint.exchanges[1]?.body as { contents: { parts: object[] }[] } | undefined;
    expect(body?.contents[1]?.parts).toMatchObject(parts);
  });

  test('another provider leaves it alone', async () => {
    const before = {
      ...reply('I look.'),
      providerData: {
        from: 'ai-sdk',
        provider: 'google.generative-ai',
        parts: [
          { type: 'reasoning', text: 'x', metadata: { anthropic: { signature: 'signed' } } },
          { type: 'text', length: 7 },
        ],
      },
    };
    await using endpoint = await startRawEndpoint((exchange) =>
      sendJson(exchange, { status: 400, body: {} }),
    );

    await failureOf(ask(anthropic(endpoint.url), { messages: [user('hi'), before, notice('N')] }));

    const body = endpoint.exchanges[0]?.body as AnthropicBody | undefined;
    expect(body?.messages[1]?.content).toEqual([{ type: 'text', text: 'I look.' }]);
  });

  /** Asks, writes the transcript down, reads it again, and asks once more with the results. */
  async function askTwice(model: ChatModel): Promise<{ text: string; transcript: readonly ChatMessage[] }> {
    const first = await ask(model);
    const written = JSON.stringify([user('hi'), first, ...first.toolCalls.map(({ id }) => result(id))]);
    const transcript = JSON.parse(written) as readonly ChatMessage[];
    await ask(model, { messages: transcript });
    return { text: first.text, transcript };
  }
});

describe('a stream of parts', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const finish = (unified: 'stop' | 'length' | 'content-filter' | 'error' | 'interrupted') =>
    ({ type: 'finish', usage, finishReason: { unified, raw: undefined } }) as const;

  /** A model of the AI SDK that needs no network. */
  function createFake(parts: readonly LanguageModelV4StreamPart[], { isOpen = false } = {}): LanguageModelV4 {
    return {
      specificationVersion: 'v4',
      provider: 'fake',
      modelId: 'one',
      supportedUrls: {},
      doGenerate: () => expect.fail('not asked for'),
      doStream: async () => ({
        stream: new ReadableStream({
          start: (controller) => {
            for (const part of parts) controller.enqueue(part);
            if (!isOpen) controller.close();
          },
        }),
      }),
    };
  }

  test('becomes text and calls', async () => {
    const fake = createFake([
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'a' },
      { type: 'text-end', id: 't' },
      { type: 'tool-input-start', id: 'c', toolName: 'look' },
      { type: 'tool-input-delta', id: 'c', delta: '{}' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' },
      { type: 'tool-call', toolCallId: 's', toolName: 'search', input: '{}', providerExecuted: true },
      finish('stop'),
    ]);

    expect(await ask(createAiSdkModel(fake))).toEqual({
      role: 'assistant',
      text: 'a',
      toolCalls: [{ id: 'c', name: 'look', argumentsText: '{}' }],
      usage: { inputTokens: 1, outputTokens: 1 },
    });
  });

  test('keeps what its provider tells at the end of a text', async () => {
    const metadata = { openai: { itemId: 'msg_1' } };
    const fake = createFake([
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'a' },
      { type: 'text-end', id: 't', providerMetadata: metadata },
      finish('stop'),
    ]);

    const { providerData } = await ask(createAiSdkModel(fake));

    expect(providerData).toMatchObject({ parts: [{ type: 'text', length: 1, metadata }] });
  });

  test.each<[string, readonly LanguageModelV4StreamPart[], string, string]>([
    ['without an end', [], 'cut', 'ended its reply in the middle'],
    ['that was interrupted', [finish('interrupted')], 'cut', 'ended its reply in the middle'],
    ['that was filtered', [finish('content-filter')], 'refused', 'content filter'],
    ['too short for a word', [finish('length')], 'refused', 'raise "maxTokens"'],
    ['that failed', [finish('error')], 'unavailable', 'stopped the reply with an error'],
    ['with an error', [{ type: 'error', error: new Error('odd') }], 'refused', 'odd'],
    ['with a text as error', [{ type: 'error', error: 'odd' }], 'refused', 'odd'],
  ])('%s fails with an explanation', async (_, parts, failure, words) => {
    const error = await failureOf(ask(createAiSdkModel(createFake(parts))));

    expect(error).toMatchObject({ name: 'ModelError', failure });
    expect(error.message).toContain(words);
  });

  test('ends on an abort that the model ignores', async () => {
    const model = createAiSdkModel(createFake([], { isOpen: true }));
    const abort = new AbortController();

    const pending = ask(model, { signal: abort.signal });
    abort.abort(new Error('enough'));

    await expect(pending).rejects.toThrow('enough');
  });

  test('is abandoned when it is silent', async () => {
    const model = createAiSdkModel(createFake([], { isOpen: true }), { idleTimeout: 20 });

    const error = await failureOf(ask(model));

    expect(error).toMatchObject({ failure: 'cut', message: 'fake/one has been silent for 20 ms.' });
  });

  test('is asked for with all settings', async () => {
    const fake = createFake([finish('stop')]);
    const doStream = vi.spyOn(fake, 'doStream');
    const model = createAiSdkModel(fake, {
      name: 'mine',
      temperature: 0,
      maxTokens: 5,
      reasoning: 'low',
      headers: { 'x-team': 'a' },
      providerOptions: { fake: { depth: 1 } },
    });

    await ask(model);

    expect(model.name).toBe('mine');
    expect(doStream.mock.calls[0]?.[0]).toMatchObject({
      temperature: 0,
      maxOutputTokens: 5,
      reasoning: 'low',
      headers: { 'x-team': 'a' },
      providerOptions: { fake: { depth: 1 } },
      tools: [{ type: 'function', name: 'look', description: 'Looks.', inputSchema: lookTool.inputSchema }],
    });
  });
});

test.each([
  ['gpt-5', 'the model is "gpt-5"'],
  [{ specificationVersion: 'v2', doStream: () => {} }, 'a model of version "v2"'],
  [undefined, 'a model of version "undefined"'],
])('%j is refused as a model', (given, words) => {
  expect(() => createAiSdkModel(given as never)).toThrow(
    expect.objectContaining({ name: 'TroupeError', message: expect.stringContaining(words) }),
  );
});

test('an unknown setting is refused', () => {
  const model = createAnthropic({ apiKey: 'k' })('claude-sonnet-4-5');

  expect(() => createAiSdkModel(model, { maxToken: 1 } as never)).toThrow('Did you mean "maxTokens"?');
});
