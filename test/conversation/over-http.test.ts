import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, test } from 'vitest';
import { createAiSdkModel } from '../../src/models/ai-sdk.ts';
import type { ChatModel } from '../../src/models/chat-model.ts';
import { createOpenAiModel } from '../../src/models/openai-compatible.ts';
import { type MockEndpoint, startMockEndpoint } from '../models/mock-endpoint.ts';
import { arrange } from './arrange.ts';

const wires = [
  [
    'OpenAI',
    ({ baseUrl }: MockEndpoint): ChatModel =>
      createOpenAiModel({ baseUrl, apiKey: 'key-for-tests', model: 'gpt-test' }),
  ],
  [
    'Anthropic',
    ({ baseUrl }: MockEndpoint): ChatModel =>
      createAiSdkModel(createAnthropic({ baseURL: baseUrl, apiKey: 'key-for-tests' })('claude-sonnet-4-5')),
  ],
] as const;

/** A conversation with a model behind HTTP; a pause before a retry is over at once. */
function talk(model: ChatModel) {
  const given = arrange({ steps: [], more: { model } });
  given.conversation.events$.subscribe((event) => {
    if (event.type === 'model.failed') queueMicrotask(() => given.clock.advance(event.inMs));
  });
  return given;
}

const start = { name: 'start_process', arguments: { command: 'serve', label: 'server' } };

describe.each(wires)('on the wire of %s', (_wire, createModel) => {
  test('an end wakes the agent with a notice', async () => {
    await using endpoint = await startMockEndpoint([
      { text: 'I start it.', calls: [start] },
      { text: 'It runs.' },
      { text: 'It has failed, I see.' },
    ]);
    await using given = talk(createModel(endpoint));
    await given.conversation.say('serve');
    given.backend.lastRun.print('cannot bind\n', 'stderr');

    given.backend.lastRun.exit({ code: 1 });
    await given.settled(1);

    expect(given.conversation.transcript.at(-1)).toMatchObject({ text: 'It has failed, I see.' });
    expect(given.turns()).toBe(2);
    const last = endpoint.requests().at(-1)?.messages ?? [];
    expect(last.map(({ role }) => role).slice(-5)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(JSON.stringify(last.at(-1)?.content)).toContain('not by a human');
    expect(JSON.stringify(last.at(-1)?.content)).toContain('cannot bind');
  });

  test('too many requests are waited out', async () => {
    await using endpoint = await startMockEndpoint([
      { status: 429, message: 'Slow down', retryAfterSeconds: 7 },
      { text: 'Here I am.' },
    ]);
    await using given = talk(createModel(endpoint));

    const outcome = await given.conversation.say('hello?');

    expect(outcome).toEqual({ type: 'answered', text: 'Here I am.' });
    expect(given.events.filter(({ type }) => type === 'model.failed')).toMatchObject([
      { attempt: 1, inMs: 7_000, error: expect.stringContaining('429') },
    ]);
  });

  test('a conversation that is too long is made shorter', async () => {
    await using endpoint = await startMockEndpoint([
      { text: 'A long story. '.repeat(50) },
      { status: 400, message: 'prompt is too long: 208310 tokens > 200000 maximum' },
      { text: 'The end.' },
    ]);
    await using given = talk(createModel(endpoint));
    await given.conversation.say('Tell me a story.');

    const outcome = await given.conversation.say('How does it end?');

    expect(outcome).toEqual({ type: 'answered', text: 'The end.' });
    const last = JSON.stringify(endpoint.requests().at(-1)?.messages);
    expect(last).toMatch(/digest.*Tell me a story.*How does it end/);
    expect(last).not.toContain('A long story');
  });

  test('a stream that is cut is begun again', async () => {
    const whole = 'This answer has several pieces, and all of them arrive.';
    await using endpoint = await startMockEndpoint([{ text: whole, cutAfter: 3 }, { text: whole }]);
    await using given = talk(createModel(endpoint));

    const outcome = await given.conversation.say('hello?');

    expect(outcome).toEqual({ type: 'answered', text: whole });
    expect(given.roles()).toEqual(['user', 'assistant']);
    expect(given.events.filter(({ type }) => type === 'model.failed')).toHaveLength(1);
  });

  test('a refused request ends the turn with an explanation', async () => {
    await using endpoint = await startMockEndpoint([{ status: 401, message: 'Bad key' }]);
    await using given = talk(createModel(endpoint));

    const outcome = await given.conversation.say('hello?');

    expect(outcome).toMatchObject({ type: 'failed', error: expect.stringContaining('Bad key') });
    expect(endpoint.requests()).toHaveLength(1);
  });
});

// The mock mends the arguments on the wire of Anthropic.
test('broken arguments on the wire of OpenAI are answered', async () => {
  const broken = { name: 'check_process', arguments: '{"process_id": "tool' };
  await using endpoint = await startMockEndpoint([{ calls: [broken] }, { text: 'I am sorry.' }]);
  await using given = talk(wires[0][1](endpoint));

  const outcome = await given.conversation.say('how is it?');

  expect(outcome).toEqual({ type: 'answered', text: 'I am sorry.' });
  expect(given.answers()).toMatchObject([
    { ok: false, error: expect.stringContaining('are not valid JSON') },
  ]);
  const [, request] = endpoint.requests();
  expect(request?.messages.at(-1)).toMatchObject({ role: 'tool' });
});
