import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { toFunctionTools, toPrompt } from '../../src/models/ai-sdk-prompt.ts';
import { fromReplyRecord, toReplyRecord } from '../../src/models/ai-sdk-record.ts';
import { createAiSdkReply } from '../../src/models/ai-sdk-reply.ts';
import type { ChatDelta } from '../../src/models/chat-model.ts';
import { call, lookTool, notice, reply, result, user } from './messages.ts';

/** Reads these parts and completes the reply. */
function read(...parts: readonly object[]): readonly ChatDelta[] {
  const reader = createAiSdkReply({ name: 'Model', provider: 'p' });
  return [...parts.flatMap((part) => reader.read(part as LanguageModelV4StreamPart)), ...reader.end()];
}

const finish = (unified = 'stop', usage?: object) => ({ type: 'finish', finishReason: { unified }, usage });
const text = (id: string, ...deltas: string[]) => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];
const toolCall = (toolCallId: string, more: object = {}) => ({
  ...{ type: 'tool-call', toolCallId, toolName: 'look', input: '{"x":1}', ...more },
});
const signed = (signature: string) => ({ providerMetadata: { p: { signature } } });

test('text and calls are deltas, and need no record', () => {
  expect(read(...text('1', 'a', '', 'b'), toolCall('c1'), finish())).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    { type: 'toolCall', id: 'c1', name: 'look', argumentsText: '{"x":1}' },
  ]);
});

test('a call that the provider makes itself is none, and neither are other parts', () => {
  const parts = [
    toolCall('c1', { providerExecuted: true }),
    { type: 'custom', kind: 'anthropic.message_start', ...signed('s') },
    { type: 'response-metadata' },
  ];

  expect(read(...parts, finish())).toEqual([]);
});

test.for([
  [{ inputTokens: { total: 5 }, outputTokens: { total: 7 } }, [{ inputTokens: 5, outputTokens: 7 }]],
  [{ inputTokens: { total: 5 } }, [{ inputTokens: 5, outputTokens: 0 }]],
  [{ outputTokens: { total: 7 } }, []],
  [{}, []],
  [undefined, []],
] as const)('the usage %j counts as %j', ([usage, expected]) => {
  expect(read(...text('1', 'a'), finish('stop', usage)).slice(1)).toEqual(
    expected.map((each) => ({ type: 'usage', usage: each })),
  );
});

test('a record has the parts in order, with what the provider attached', () => {
  const deltas = read(
    { type: 'reasoning-start', id: 'r', providerMetadata: { p: { a: 1 }, q: { z: 1 } } },
    { type: 'reasoning-delta', id: 'r', delta: 'I ' },
    { type: 'reasoning-delta', id: 'r', delta: 'see.', providerMetadata: { p: { a: 2, b: undefined } } },
    { type: 'reasoning-end', id: 'r', ...signed('s') },
    { type: 'reasoning-delta', id: 'r', delta: 'late' },
    ...text('1', 'abc'),
    toolCall('c1', signed('c')),
    { type: 'custom', kind: 'p.thing', ...signed('k') },
    { type: 'custom', kind: 'p.plain' },
    { type: 'text-delta', id: '2', delta: 'de' },
    finish(),
  );

  expect(deltas.at(-1)).toEqual({
    type: 'providerData',
    data: {
      from: 'ai-sdk',
      provider: 'p',
      parts: [
        { type: 'reasoning', text: 'I see.', metadata: { p: { a: 2, signature: 's' }, q: { z: 1 } } },
        { type: 'text', length: 3 },
        { type: 'call', metadata: { p: { signature: 'c' } } },
        { type: 'custom', kind: 'p.thing', metadata: { p: { signature: 'k' } } },
        { type: 'custom', kind: 'p.plain' },
        { type: 'text', length: 2 },
      ],
    },
  });
});

test.for<readonly [parts: readonly object[], failure: string, message: string]>([
  [[], 'cut', 'Model ended its reply in the middle.'],
  [[finish('interrupted')], 'cut', 'Model ended its reply in the middle.'],
  [[finish('error')], 'unavailable', 'Model stopped the reply with an error.'],
  [[finish('content-filter')], 'refused', 'Model stopped the reply by its content filter.'],
  [
    [...text('1'), { type: 'reasoning-start', id: 'r' }, { type: 'custom', kind: 'p.x' }, finish('length')],
    'refused',
    'Model reached its limit of tokens before it wrote anything; raise "maxTokens".',
  ],
])('the parts %j are no reply', ([parts, failure, message]) => {
  expect(() => read(...parts)).toThrow(expect.objectContaining({ failure, message }));
});

test('a reply at its limit of tokens stands where it has words or calls', () => {
  expect(read(...text('1', 'a'), finish('length'))).toHaveLength(1);
  expect(read(toolCall('c1'), finish('length'))).toHaveLength(1);
});

const metadata = { p: { signature: 's' } };

test.for<readonly [parts: Parameters<typeof toReplyRecord>[1], isRecorded: boolean]>([
  [[], false],
  [[{ type: 'text', length: 1 }, { type: 'call' }, { type: 'call' }], false],
  [[{ type: 'call' }, { type: 'text', length: 1 }], true],
  [[{ type: 'text', length: 1, metadata }], true],
  [[{ type: 'call', metadata }], true],
  [[{ type: 'reasoning', text: '' }], true],
])('the parts %j are recorded: %s', ([parts, isRecorded]) => {
  expect(toReplyRecord('p', parts)).toEqual(isRecorded ? { from: 'ai-sdk', provider: 'p', parts } : null);
});

const sdkCall = { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { x: 1 } } as const;
const record = (...parts: object[]) => ({ from: 'ai-sdk', provider: 'p', parts });

test('a record restores the reply of its provider', () => {
  const data = record(
    { type: 'text', length: 2 },
    { type: 'reasoning', text: 'I see.', metadata },
    { type: 'call', metadata },
    { type: 'custom', kind: 'p.x' },
    { type: 'text', length: 1, metadata },
  );

  expect(fromReplyRecord(data as never, { provider: 'p', text: 'abc', calls: [sdkCall] })).toEqual([
    { type: 'text', text: 'ab' },
    { type: 'reasoning', text: 'I see.', providerOptions: metadata },
    { ...sdkCall, providerOptions: metadata },
    { type: 'custom', kind: 'p.x' },
    { type: 'text', text: 'c', providerOptions: metadata },
  ]);
});

test.for<readonly [name: string, data: object | undefined]>([
  ['of another provider', { ...record({ type: 'text', length: 3 }, { type: 'call' }), provider: 'q' }],
  ['of another library', { ...record({ type: 'text', length: 3 }, { type: 'call' }), from: 'openai' }],
  ['that is missing', undefined],
  ['with less text', record({ type: 'text', length: 2 }, { type: 'call' })],
  ['with fewer calls', record({ type: 'text', length: 3 })],
  ['with more calls', record({ type: 'text', length: 3 }, { type: 'call' }, { type: 'call' })],
])('a record %s restores nothing', ([, data]) => {
  expect(fromReplyRecord(data as never, { provider: 'p', text: 'abc', calls: [sdkCall] })).toBeNull();
});

test('a prompt has the messages of the transcript in the forms of the SDK', () => {
  const messages = [
    { role: 'system', text: 'Be brief.' } as const,
    ...[
      user('U'),
      notice('N'),
      reply('', [call('a')]),
      result('a'),
      reply('R', [call('b', 'broken')]),
      result('b'),
    ],
  ];

  expect(toPrompt(messages, { provider: 'p', alternation: 'free' })).toEqual([
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'U' },
        { type: 'text', text: 'N' },
      ],
    },
    { role: 'assistant', content: [{ ...sdkCall, toolCallId: 'a' }] },
    {
      role: 'tool',
      content: [
        {
          ...{ type: 'tool-result', toolCallId: 'a', toolName: 'look' },
          output: { type: 'text', value: result('a').text },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'R' },
        { ...sdkCall, toolCallId: 'b', input: { invalid_arguments: 'broken' } },
      ],
    },
    expect.objectContaining({ role: 'tool' }),
  ]);
});

test('tools are functions with their schemas', () => {
  expect(toFunctionTools([lookTool])).toEqual([{ type: 'function', ...lookTool }]);
});
