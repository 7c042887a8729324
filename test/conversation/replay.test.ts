import { expect, test } from 'vitest';
import { answerOpenCalls, openCalls, replay } from '../../src/conversation/replay.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';

const call = (id: string) => ({ id, name: 'look', argumentsText: '{}' });
const user: ChatMessage = { role: 'user', text: 'hello' };
const asks: ChatMessage = { role: 'assistant', text: '', toolCalls: [call('c1'), call('c2')] };
const says: ChatMessage = { role: 'assistant', text: 'hi', toolCalls: [] };
const result = (callId: string): ChatMessage => ({
  role: 'tool',
  callId,
  name: 'look',
  text: `of ${callId}`,
});
const message = { kind: 'message', id: 'm1', attention: 'turn', text: 'hello' };

const arrived = { type: 'arrived', entry: message };
const delivered = { type: 'delivered', ids: ['m1'], messages: [user] };
const recorded = (given: ChatMessage) => ({ type: 'recorded', message: given });
const answered = (callId: string, revealed: readonly string[] = []) => ({
  ...{ type: 'answered', message: result(callId), revealed },
});
const unanswered = (callId: string) => ({
  role: 'tool',
  callId,
  name: 'look',
  text: '{"ok":false,"error":"The program ended before this call was answered. It is unknown whether it was carried out: check before you repeat it."}',
});

test.for<
  readonly [name: string, entries: readonly unknown[], transcript: readonly object[], isUnfinished: boolean]
>([
  ['nothing', [], [], false],
  ['an arrival', [arrived], [], false],
  ['a delivery', [arrived, delivered], [user], true],
  ['a reply with calls', [delivered, recorded(asks)], [user, asks], true],
  ['a final answer', [delivered, recorded(says)], [user, says], false],
  ['the first of two results', [delivered, recorded(asks), answered('c2')], [user, asks], true],
  [
    'results in another order',
    [delivered, recorded(asks), answered('c2'), answered('c1')],
    [user, asks, result('c1'), result('c2')],
    true,
  ],
  [
    'a reply behind a result that is missing',
    [delivered, recorded(asks), answered('c2'), recorded(says)],
    [user, asks, unanswered('c1'), result('c2'), says],
    false,
  ],
  [
    'a delivery behind results that are missing',
    [delivered, recorded(asks), delivered],
    [user, asks, unanswered('c1'), unanswered('c2'), user],
    true,
  ],
  ['the end of a turn', [delivered, { type: 'rested' }], [user], false],
  [
    'a shorter transcript',
    [delivered, recorded(says), { type: 'shortened', messages: [user] }],
    [user],
    false,
  ],
  ['entries of another shape', [null, 7, { type: 'new' }, { type: 'recorded' }, delivered], [user], true],
])('%s is remembered', ([, entries, transcript, isUnfinished]) => {
  const memory = replay(entries);

  expect(memory.transcript).toEqual(transcript);
  expect(memory.isUnfinished).toBe(isUnfinished);
});

test('messages have the time of their entry, except those of a shorter transcript', () => {
  const { transcript } = replay([
    { at: 5, ...delivered },
    { at: 6, ...recorded(asks) },
    { at: 7, ...answered('c1') },
    { at: 8, ...answered('c2') },
  ]);

  expect(transcript.map((each) => each.at)).toEqual([5, 6, 7, 8]);
  expect(replay([{ at: 5, type: 'shortened', messages: [user] }]).transcript).toEqual([user]);
});

test('entries leave the mailbox delivered, revealed or withdrawn', () => {
  const inbox = (...entries: readonly object[]) => [...replay([arrived, ...entries]).mailbox.waiting.keys()];

  expect(inbox()).toEqual(['m1']);
  expect(inbox(delivered)).toEqual([]);
  expect(inbox({ type: 'withdrawn', ids: ['m1'] })).toEqual([]);
  expect(inbox(recorded(asks), answered('c1', ['m1']))).toEqual([]);
});

test('open calls are those of the last message, until they are answered', () => {
  const memory = replay([delivered, recorded(asks), answered('c1')]);

  expect(openCalls(memory.transcript)).toEqual([call('c1'), call('c2')]);
  answerOpenCalls(memory);

  expect(memory.transcript.slice(2)).toEqual([result('c1'), unanswered('c2')]);
  expect([openCalls(memory.transcript), openCalls([])]).toEqual([[], []]);
  expect(memory.results.size).toBe(0);
});
