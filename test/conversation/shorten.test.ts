import { describe, expect, test } from 'vitest';
import { compactByAge, estimateTokens, findCompactionFault } from '../../src/conversation/compact.ts';
import {
  compactTranscript,
  shortenTranscript,
  sizeOf,
  withoutUsage,
} from '../../src/conversation/shorten-transcript.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';

const user = (text: string): ChatMessage => ({ role: 'user', text });
const notice = (text: string): ChatMessage => ({ role: 'notice', text, completionIds: ['c'] });
const says = (text: string): ChatMessage => ({ role: 'assistant', text, toolCalls: [] });
const calls = (...ids: string[]): ChatMessage => ({
  ...{ role: 'assistant', text: '', toolCalls: ids.map((id) => ({ id, name: 'look', argumentsText: '{}' })) },
});
const result = (callId: string, data = 'x'.repeat(100)): ChatMessage => ({
  ...{ role: 'tool', callId, name: 'look', text: JSON.stringify({ ok: true, data }) },
});
const failure = (callId: string): ChatMessage => ({
  ...{ role: 'tool', callId, name: 'look', text: JSON.stringify({ ok: false, error: 'y'.repeat(100) }) },
});

test('the size of messages counts bytes of texts, calls and what providers want back', () => {
  expect(sizeOf([])).toBe(0);
  expect(sizeOf([user('äb'), says('c')])).toBe(4);
  expect(sizeOf([calls('a', 'b')])).toBe(2 * 'look{}'.length);
  expect(sizeOf([{ ...says('c'), providerData: { a: 1 } } as ChatMessage])).toBe(1 + '{"a":1}'.length);
});

test('the usage of a reply is left out, and nothing of other messages', () => {
  const counted = { ...says('c'), usage: { inputTokens: 1, outputTokens: 2 } } as ChatMessage;
  const other = user('u');

  expect(withoutUsage(counted)).toEqual(says('c'));
  expect(withoutUsage(other)).toBe(other);
});

/** Six steps of one call each between two tasks, with a notice. */
const long: readonly ChatMessage[] = [
  ...[user('first'), calls('1'), result('1'), notice('n1'), calls('2'), failure('2'), user('between')],
  ...[calls('3'), result('3'), calls('4'), result('4'), calls('5'), result('5')],
  ...[user('last'), calls('6'), result('6')],
];

/** Abbreviates the remaining messages: the text of words, `6` for a call, `=6` for its result, `-6` for an emptied result. */
const toShort = (messages: readonly ChatMessage[]) =>
  messages
    .map((message) => {
      if (message.role === 'tool')
        return `${message.text.includes('was removed to make room') ? '-' : '='}${message.callId}`;
      return message.role === 'assistant' ? message.toolCalls.map(({ id }) => id).join() : message.text;
    })
    .join(' ');

const bytes = sizeOf(long);
const unlimited = { maxBytes: Number.POSITIVE_INFINITY, maxMessages: Number.POSITIVE_INFINITY };

describe('the least useful is taken away first', () => {
  test.for<readonly [maxBytes: number, left: string | null, removed: number, emptied: number]>([
    [bytes, null, 0, 0],
    [bytes - 1, 'first 1 -1 n1 2 =2 between 3 =3 4 =4 5 =5 last 6 =6', 0, 1],
    [bytes - 100, 'first 1 -1 n1 2 -2 between 3 =3 4 =4 5 =5 last 6 =6', 0, 2],
    [bytes - 200, 'first n1 2 -2 between 3 -3 4 =4 5 =5 last 6 =6', 2, 2],
    [0, 'first last 6 -6', 12, 1],
  ])('within %i bytes', ([maxBytes, left, removed, emptied]) => {
    const shorter = compactTranscript(long, { ...unlimited, maxBytes });

    if (left === null) expect(shorter).toBeNull();
    else expect(shorter).toMatchObject({ removed, emptied });
    if (left !== null) expect(toShort(shorter?.messages ?? [])).toBe(left);
  });

  test.for([
    [16, null],
    [15, 'first n1 2 -2 between 3 -3 4 =4 5 =5 last 6 =6'],
    [10, 'first n1 between 4 =4 5 =5 last 6 =6'],
    [9, 'first between 4 -4 5 -5 last 6 =6'],
    [8, 'first 4 -4 5 -5 last 6 =6'],
    [6, 'first 5 -5 last 6 =6'],
    [5, 'first last 6 =6'],
    [1, 'first last 6 -6'],
  ] as const)('within %i messages', ([maxMessages, left]) => {
    const shorter = compactTranscript(long, { ...unlimited, maxMessages });

    expect(shorter === null ? null : toShort(shorter.messages)).toBe(left);
  });
});

test('an emptied result says whether its call succeeded', () => {
  const shorter = compactTranscript(long, { ...unlimited, maxBytes: bytes - 100 });

  const texts = shorter?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
  expect(texts?.slice(0, 2)).toEqual([
    '{"ok":true,"data":"The output was removed to make room."}',
    '{"ok":false,"error":"The output was removed to make room."}',
  ]);
});

test('a long result of a recent step keeps beginning and end', () => {
  const [start, end] = ['s'.repeat(1_990), 'e'.repeat(1_990)];
  const given = [user('first'), calls('1'), result('1', `${start}${'m'.repeat(1_000)}\n${end}`)];

  const shorter = compactTranscript(given, { ...unlimited, maxBytes: sizeOf(given) - 1 });

  const { data } = JSON.parse(shorter?.messages[2]?.text ?? '');
  expect(data).toMatch(/^\{"ok":true,"data":"s+\n\[… The middle was removed to make room\. …\]\n.*e+"\}$/s);
  expect(shorter).toMatchObject({ removed: 0, emptied: 1 });
});

test('a short result of a recent step is emptied as the last resort', () => {
  const given = [user('first'), calls('1'), result('1')];

  const shorter = compactTranscript(given, { ...unlimited, maxBytes: 10 });

  expect(toShort(shorter?.messages ?? [])).toBe('first 1 -1');
});

const toDigestMessage = () => notice('digest');

test.for([
  [20, null],
  [16, null],
  [15, 'digest 1 =1 n1 2 =2 between 3 =3 4 =4 5 =5 last 6 =6'],
  [14, 'digest n1 2 =2 between 3 =3 4 =4 5 =5 last 6 =6'],
  [1, 'digest'],
  [0, 'digest'],
] as const)('the newest %i messages stay behind the digest', ([keepMessages, left]) => {
  const shorter = shortenTranscript(long, { keepMessages, toDigestMessage });

  expect(shorter === null ? null : toShort(shorter.messages)).toBe(left);
});

test('a shortened transcript keeps its system prompt, and no counts of tokens', () => {
  const system: ChatMessage = { role: 'system', text: 'Be brief.' };
  const counted = { ...says('c'), usage: { inputTokens: 1, outputTokens: 2 } } as ChatMessage;

  const shorter = shortenTranscript([system, user('a'), counted], { keepMessages: 1, toDigestMessage });

  expect(shorter).toEqual({ messages: [system, notice('digest'), says('c')], removed: 1 });
});

test.for([
  [[], 0],
  [[user('1234')], 1],
  [[user('12345')], 2],
  [[user('x'), { ...says('c'), usage: { inputTokens: 100, outputTokens: 7 } }], 107],
  [[{ ...says('c'), usage: { inputTokens: 100, outputTokens: 7 } }, user('12345678')], 109],
  [
    [
      { ...says('c'), usage: { inputTokens: 100, outputTokens: 7 } },
      { ...says('c'), usage: { inputTokens: 5, outputTokens: 1 } },
      says('1234'),
    ],
    7,
  ],
] as const)('%j has about %i tokens', ([messages, tokens]) => {
  expect(estimateTokens(messages as readonly ChatMessage[])).toBe(tokens);
});

test('compaction by age takes the share of bytes that the tokens take', async () => {
  const { signal } = new AbortController();
  const request = { messages: long, tokens: 1_000, maxMessages: Number.POSITIVE_INFINITY, signal };

  expect(await compactByAge({ ...request, maxTokens: 1_000 })).toBe(long);
  expect(toShort(await compactByAge({ ...request, maxTokens: 999 }))).toMatch(/^first 1 -1 n1 2 =2 /);
  expect(await compactByAge({ ...request, tokens: 0, maxTokens: 1 })).toBe(long);
});

test.for<readonly [given: unknown, inTurn: boolean, fault: string | null]>([
  [undefined, false, 'it did not return a list of messages'],
  [{}, false, 'it did not return a list of messages'],
  [[user('a'), { role: 'user' }], false, 'message 1 is not a ChatMessage'],
  [[{ role: 'system', text: 'x' }], false, 'message 0 is a system prompt, which is kept in any case'],
  [[result('1')], false, 'message 0 does not follow its call'],
  [[calls('1'), result('2')], false, 'message 1 does not follow its call'],
  [[calls('1', '2'), result('2'), result('1')], false, 'message 1 does not follow its call'],
  [[calls('1', '2'), result('1'), user('a')], false, 'message 2 precedes the result of 2'],
  [[calls('1')], false, 'there is no result for 1'],
  [[user('a'), says('b')], true, 'the last message is from the agent'],
  [[user('a'), says('b')], false, null],
  [[calls('1', '2'), result('1'), result('2'), user('a')], true, null],
  [[], true, null],
])('the messages %j (in a turn: %s) have the fault %j', ([given, inTurn, fault]) => {
  expect(findCompactionFault(given, { inTurn })).toBe(fault);
});
