import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ChatMessage, ChatModel } from '../../src/models/chat-model.ts';
import { collectReply } from '../../src/models/collect-reply.ts';
import type { ModelError } from '../../src/models/model-error.ts';
import type { OpenAiModelOptions } from '../../src/models/model-options.ts';
import { createOpenAiModel } from '../../src/models/openai-compatible.ts';
import { waitUntil } from '../support/os.ts';
import { lookTool, user } from './messages.ts';
import { startMockEndpoint } from './mock-endpoint.ts';
import { type Exchange, sendEvents, sendJson, startRawEndpoint, toEvents } from './raw-endpoint.ts';

const KEY = 'sk-test-0123456789abcdef';

function createModel(url: string, options: Partial<OpenAiModelOptions> = {}): ChatModel {
  return createOpenAiModel({ baseUrl: `${url}/v1`, apiKey: KEY, model: 'gpt-test', ...options });
}

const ask = (
  model: ChatModel,
  {
    messages = [user('hi')],
    signal = new AbortController().signal,
  }: { messages?: ChatMessage[]; signal?: AbortSignal } = {},
) => collectReply(model.stream({ messages, tools: [lookTool], signal }), { onText: () => {} });

const failureOf = (reply: Promise<unknown>): Promise<ModelError> =>
  reply.then(
    () => expect.fail('there is a reply'),
    (error: ModelError) => error,
  );

const said = (content: string) => ({ choices: [{ delta: { content }, finish_reason: null }] });
const stop = { choices: [{ delta: {}, finish_reason: 'stop' }] };

describe('at a mock endpoint', () => {
  test('text arrives piece by piece', async () => {
    await using endpoint = await startMockEndpoint([{ text: 'Hello from the other side.' }]);
    const heard: string[] = [];

    const stream = createModel(endpoint.url).stream({
      messages: [user('hi')],
      tools: [],
      signal: new AbortController().signal,
    });
    const { text } = await collectReply(stream, { onText: (piece) => heard.push(piece) });

    expect(text).toBe('Hello from the other side.');
    expect(heard.length).toBeGreaterThan(1);
  });

  test('parallel calls come with text and broken arguments', async () => {
    const calls = [
      { name: 'look', arguments: { x: 1 } },
      { name: 'look', arguments: '{"x":' },
    ];
    await using endpoint = await startMockEndpoint([{ text: 'I look.', calls }]);

    const { text, toolCalls } = await ask(createModel(endpoint.url));

    expect(text).toBe('I look.');
    expect(toolCalls.map(({ name, argumentsText }) => [name, argumentsText])).toEqual([
      ['look', '{"x":1}'],
      ['look', '{"x":'],
    ]);
  });

  test.each([
    [{ status: 429, message: 'Slow down', retryAfterSeconds: 7 }, 'rateLimited', 7_000],
    [{ status: 429, message: 'No money left', code: 'insufficient_quota' }, 'refused', 1_000],
    [{ status: 500, message: 'Broken' }, 'unavailable', null],
    [{ status: 503, message: 'Overloaded' }, 'unavailable', null],
    [{ status: 401, message: 'Who are you?' }, 'unauthorized', null],
    [{ status: 403, message: 'Not for you' }, 'unauthorized', null],
    [{ status: 400, message: 'Too long' }, 'refused', null],
    [{ status: 404, message: 'No such model' }, 'refused', null],
    [{ status: 413, message: 'Too big' }, 'tooLong', null],
    [{ status: 400, message: 'Too many', code: 'context_length_exceeded' }, 'tooLong', null],
    [{ status: 422, message: 'What?' }, 'refused', null],
  ])('%j is %s', async (answer, failure, retryAfterMs) => {
    await using endpoint = await startMockEndpoint([answer]);

    const error = await failureOf(ask(createModel(endpoint.url)));

    expect(error).toMatchObject({ name: 'ModelError', failure, retryAfterMs });
    expect(error.message).toContain(answer.message);
    expect(error.message).toContain(String(answer.status));
    expect(error.message).toContain(endpoint.url);
  });
});

test('an endpoint that wants a long wait says how long', async () => {
  const answer = { status: 429, message: 'Enough for today', retryAfterSeconds: 86_400 };
  await using endpoint = await startMockEndpoint([answer]);

  const error = await failureOf(ask(createModel(endpoint.url)));

  expect(error).toMatchObject({ isRetryable: false, retryAfterMs: 86_400_000 });
  expect(error.message).toContain('Try again in 24h 00m at the earliest.');
});

describe('an endpoint of the environment', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  test('gets the key and the words, and no other does', async () => {
    await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, [said('ok'), stop]));
    vi.stubEnv('OPENAI_BASE_URL', ` ${endpoint.url}/v1 `);
    const fetched = vi.spyOn(globalThis, 'fetch');

    const { text } = await ask(createOpenAiModel({ apiKey: KEY, model: 'gpt-test' }));

    expect(text).toBe('ok');
    expect(endpoint.exchanges).toMatchObject([{ headers: { authorization: `Bearer ${KEY}` } }]);
    expect(fetched.mock.calls.map(([url]) => String(url))).toEqual([`${endpoint.url}/v1/chat/completions`]);
  });

  test('stands behind one that is given', async () => {
    await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, [said('ok'), stop]));
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1');

    expect(await ask(createModel(endpoint.url))).toMatchObject({ text: 'ok' });
  });

  test('is refused with its variable when it is no URL', () => {
    vi.stubEnv('OPENAI_BASE_URL', 'localhost:11434');

    expect(() => createOpenAiModel({ apiKey: KEY, model: 'gpt-test' })).toThrow(/OPENAI_BASE_URL/);
  });

  test('falls back to OpenAI when it is empty', async () => {
    vi.stubEnv('OPENAI_BASE_URL', '');
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));

    await failureOf(ask(createOpenAiModel({ apiKey: KEY, model: 'gpt-test' })));

    expect(String(fetched.mock.calls[0]?.[0])).toBe('https://api.openai.com/v1/chat/completions');
  });
});

const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };

describe('a request', () => {
  test('is a streamed chat completion', async () => {
    await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, [said('ok'), stop]));
    const model = createModel(endpoint.url, { temperature: 0.5, maxTokens: 100, headers: { 'X-Team': 'a' } });

    await ask(model);

    const [exchange] = endpoint.exchanges;
    expect(exchange?.path).toBe('/v1/chat/completions');
    expect(exchange?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'a' });
    expect(exchange?.body).toEqual({
      model: 'gpt-test',
      messages: [{ role: 'user', content: 'hi' }],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: lookTool.inputSchema },
        },
      ],
      temperature: 0.5,
      max_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('asks for no usage where that was refused', async () => {
    await using endpoint = await startRawEndpoint((exchange) =>
      'stream_options' in (exchange.body as object)
        ? sendJson(exchange, { status: 422, body: { detail: 'stream_options: extra inputs' } })
        : sendEvents(exchange, [said('ok'), stop]),
    );
    const model = createModel(endpoint.url);

    const replies = [await ask(model), await ask(model)];

    expect(replies.map(({ text }) => text)).toEqual(['ok', 'ok']);
    expect(endpoint.exchanges).toHaveLength(3);
  });

  test.each([
    ['after the end', [said('ok'), stop, { choices: [], usage }, '[DONE]']],
    ['with the end', [said('ok'), { ...stop, usage }]],
    ['with each piece', [{ ...said('o'), usage: { prompt_tokens: 7 } }, { ...said('k'), usage }, stop]],
    ['all at once', [{ choices: [{ message: { content: 'ok' } }], usage }]],
  ])('keeps the usage that is reported %s', async (_, events) => {
    await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, events));

    expect(await ask(createModel(endpoint.url))).toEqual({
      role: 'assistant',
      text: 'ok',
      toolCalls: [],
      usage: { inputTokens: 12, outputTokens: 3 },
    });
  });

  test('keeps the query of its address, without showing it', async () => {
    await using endpoint = await startRawEndpoint((exchange) =>
      sendJson(exchange, { status: 500, body: {} }),
    );
    const model = createModel('', { baseUrl: `${endpoint.url}/v1/?key=secret-in-query` });

    const { message } = await failureOf(ask(model));

    expect(endpoint.exchanges[0]?.path).toBe('/v1/chat/completions?key=secret-in-query');
    expect(message).not.toContain('secret-in-query');
  });

  test('has no key where none is given', async () => {
    await using endpoint = await startRawEndpoint((exchange) =>
      sendJson(exchange, { status: 401, body: { error: { message: 'Unauthorized' } } }),
    );
    const model = createOpenAiModel({ baseUrl: endpoint.url, model: 'm', apiKeyVariable: 'ACME_API_KEY' });

    const error = await failureOf(ask(model));

    expect(endpoint.exchanges[0]?.headers.authorization).toBeUndefined();
    expect(error.failure).toBe('unauthorized');
    expect(error.message).toBe(
      `${endpoint.url} requires a key (401), and none is set: Unauthorized. Set ACME_API_KEY.`,
    );
  });

  test.each([
    [
      'in an answer',
      (key: string) => (exchange: Exchange) =>
        sendJson(exchange, { status: 401, body: { error: `bad ${key}` } }),
    ],
    ['in a stream', (key: string) => (exchange: Exchange) => sendEvents(exchange, [{ error: `bad ${key}` }])],
  ])('never shows its key %s', async (_, answerWith) => {
    await using endpoint = await startRawEndpoint(answerWith(KEY));

    const error = await failureOf(ask(createModel(endpoint.url)));

    expect(error.message).toContain('bad [redacted]');
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(KEY);
  });
});

describe('a reply', () => {
  test('may come at once', async () => {
    const message = {
      content: 'at once',
      tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }],
    };
    await using endpoint = await startRawEndpoint((exchange) =>
      sendJson(exchange, { body: { choices: [{ message, finish_reason: 'tool_calls' }] } }),
    );

    const reply = await ask(createModel(endpoint.url));

    expect(reply).toMatchObject({
      text: 'at once',
      toolCalls: [{ id: 'a', name: 'look', argumentsText: '{}' }],
    });
  });

  test('may be cut at any byte', async () => {
    const bytes = Buffer.from(toEvents([said('日本 🎭'), stop, '[DONE]']).replaceAll('\n', '\r\n'));
    await using endpoint = await startRawEndpoint(async ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      response.end();
    });

    expect((await ask(createModel(endpoint.url))).text).toBe('日本 🎭');
  });

  test('is whole once the endpoint says so', async () => {
    await using endpoint = await startRawEndpoint(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(toEvents([said('whole'), stop]), () => response.destroy());
    });

    expect((await ask(createModel(endpoint.url))).text).toBe('whole');
  });

  test('ends with its last word, not with the connection', async () => {
    await using endpoint = await startRawEndpoint(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(toEvents([said('whole'), stop, '[DONE]']));
    });

    expect((await ask(createModel(endpoint.url))).text).toBe('whole');
    await waitUntil(() => endpoint.exchanges[0]?.isLeft());
  });

  test.each<[string, (exchange: Exchange) => void, string, string]>([
    [
      'that breaks off',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(toEvents([said('half')]), () => response.destroy());
      },
      'cut',
      'broke off its reply',
    ],
    [
      'that ends too early',
      (exchange) => sendEvents(exchange, [said('half')]),
      'cut',
      'ended its reply in the middle',
    ],
    [
      'of broken JSON',
      (exchange) => sendEvents(exchange, [said('half'), '{"choices":[']),
      'invalid',
      '{"choices":[',
    ],
    [
      'of half a JSON',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choi'),
      'invalid',
      '{"choi',
    ],
    [
      'of another kind',
      ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
      'invalid',
      'answered with text/html instead of a reply. Check "baseUrl".',
    ],
    ['of nothing', ({ response }) => response.writeHead(200).end(), 'invalid', 'instead of a reply'],
  ])('%s fails', async (_, answer, failure, words) => {
    await using endpoint = await startRawEndpoint(answer);

    const error = await failureOf(ask(createModel(endpoint.url)));

    expect(error).toMatchObject({ name: 'ModelError', failure, isRetryable: true });
    expect(error.message).toContain(words);
  });

  test('without a word is empty', async () => {
    await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, [stop, '[DONE]']));

    expect(await ask(createModel(endpoint.url))).toEqual({ role: 'assistant', text: '', toolCalls: [] });
  });
});

describe('an endpoint', () => {
  test('is named when it is down', async () => {
    const port = await freePort();

    const error = await failureOf(ask(createModel(`http://127.0.0.1:${port}`)));

    expect(error).toMatchObject({ failure: 'unavailable', isRetryable: true });
    expect(error.message).toBe(
      `Cannot reach http://127.0.0.1:${port}/v1: no server listens there (ECONNREFUSED). Check that it runs, and "baseUrl".`,
    );
  });

  test('names the options to check if it does not know the model', async () => {
    await using endpoint = await startRawEndpoint((exchange) =>
      sendJson(exchange, { status: 404, body: { error: 'No such model' } }),
    );

    const { message } = await failureOf(ask(createModel(endpoint.url)));

    expect(message).toBe(
      `${endpoint.url}/v1 refused the request (404): No such model. Check "baseUrl" and the model "gpt-test".`,
    );
  });

  test('whose error never ends is read in part', async () => {
    await using endpoint = await startRawEndpoint(({ response }) => {
      response.writeHead(503).write(`Down. ${'x'.repeat(80 * 1_024)}`);
    });

    const error = await failureOf(ask(createModel(endpoint.url)));

    expect(error).toMatchObject({
      failure: 'unavailable',
      message: expect.stringContaining('(503): Down. x'),
    });
    await waitUntil(() => endpoint.exchanges[0]?.isLeft());
  });

  test.each<[string, (exchange: Exchange) => void, string]>([
    ['breaks off', ({ response }) => response.writeHead(503).write('Ha', () => response.destroy()), 'Ha.'],
    ['is empty', ({ response }) => response.writeHead(503).end(), 'Service Unavailable.'],
    ['has no words', ({ response }) => response.writeHead(503, '').end(), 'no reason given.'],
  ])('whose error %s is known by its status', async (_, answer, words) => {
    await using endpoint = await startRawEndpoint(answer);

    const error = await failureOf(ask(createModel(endpoint.url)));

    expect(error).toMatchObject({
      failure: 'unavailable',
      message: `${endpoint.url}/v1 is unavailable (503): ${words}`,
    });
  });

  test.each([
    ['before its answer', () => {}],
    [
      'in the middle',
      ({ response }: Exchange) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(toEvents([said('half')]));
      },
    ],
  ])('is abandoned when it is silent %s', async (_, answer) => {
    await using endpoint = await startRawEndpoint(answer);

    const error = await failureOf(ask(createModel(endpoint.url, { idleTimeout: 100 })));

    expect(error).toMatchObject({ failure: 'cut', isRetryable: true });
    expect(error.message).toBe(`${endpoint.url}/v1 has been silent for 100 ms.`);
    await waitUntil(async () => (await endpoint.connections()) === 0);
  });
});

describe('an abort', () => {
  test.each([
    ['before the answer', () => {}],
    [
      'in the middle',
      ({ response }: Exchange) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(toEvents([said('half')]));
      },
    ],
  ])('%s closes the connection', async (_, answer) => {
    await using endpoint = await startRawEndpoint(answer);
    const abort = new AbortController();

    const reply = ask(createModel(endpoint.url), { signal: abort.signal });
    await waitUntil(() => endpoint.exchanges.length === 1);
    abort.abort(new Error('enough'));

    await expect(reply).rejects.toThrow('enough');
    await waitUntil(() => endpoint.exchanges[0]?.isLeft());
    await waitUntil(async () => (await endpoint.connections()) === 0);
  });

  test('closes the connection of a stream that is no longer read', async () => {
    await using endpoint = await startRawEndpoint(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(toEvents([said('half')]));
    });
    const abort = new AbortController();
    const stream = createModel(endpoint.url).stream({
      messages: [user('hi')],
      tools: [],
      signal: abort.signal,
    });

    await stream[Symbol.asyncIterator]().next();
    abort.abort();

    await waitUntil(() => endpoint.exchanges[0]?.isLeft());
  });

  test('before the request sends none', async () => {
    await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, [stop]));

    await expect(ask(createModel(endpoint.url), { signal: AbortSignal.abort() })).rejects.toThrow('aborted');

    expect(endpoint.exchanges).toHaveLength(0);
  });
});

test('a reply that is whole leaves nothing on the signal', async () => {
  await using endpoint = await startRawEndpoint((exchange) => sendEvents(exchange, [said('a'), stop]));
  const { signal } = new AbortController();

  await ask(createModel(endpoint.url), { signal });

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a reader that stops closes the connection', async () => {
  await using endpoint = await startRawEndpoint(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(toEvents([said('one'), said('two')]));
  });
  const request = { messages: [user('hi')], tools: [], signal: new AbortController().signal };

  for await (const _ of createModel(endpoint.url).stream(request)) break;

  await waitUntil(() => endpoint.exchanges[0]?.isLeft());
});

test.each<[Record<string, unknown>, string]>([
  [{ model: '' }, '"model" is ""'],
  [
    { model: 'm', baseUrl: 'localhost:11434' },
    '"baseUrl" is "localhost:11434"; expected an http or https URL',
  ],
  [{ model: 'm', baseUrl: 'http://a:b@x/v1' }, 'without a user'],
  [{ model: 'm', baseUrl: 'http://x/v1/chat/completions' }, 'without a user and "/chat/completions"'],
  [{ model: 'm', baseUrl: 'file:///x' }, 'an http or https URL'],
  [{ model: 'm', apiKey: 'secret \n' }, '"apiKey" is [redacted]; expected a key without spaces'],
  [{ model: 'm', headers: { 'x\n': 'y' } }, 'which is not a header name'],
  [
    { model: 'm', headers: { authorization: 'Bearer a\n' } },
    '"authorization", whose value is not one line of ASCII.',
  ],
  [{ model: 'm', idleTimeout: '10m' }, '"idleTimeout" is "10m"; expected more than 0 and at most "5m"'],
  [{ model: 'm', max_tokens: 5 }, 'Did you mean "maxTokens"?'],
])('options %j are refused', (options, words) => {
  expect(() => createOpenAiModel(options as never)).toThrow(
    expect.objectContaining({ name: 'TroupeError', message: expect.stringContaining(words) }),
  );
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === 'object' && address !== null ? address.port : 0;
}
