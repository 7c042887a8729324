import { expect, test } from 'vitest';
import { alternateRoles, type Turn } from '../../src/models/alternate-roles.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { call, notice, reply, result, user } from './messages.ts';

const turn = (messages: readonly ChatMessage[]) => alternateRoles(messages, { alternation: 'free' });

test('the system speaks first, once', () => {
  const turns = turn([user('hi'), { role: 'system', text: 'A' }, { role: 'system', text: 'B' }]);

  expect(turns).toEqual([
    { role: 'system', text: 'A\n\nB' },
    { role: 'user', texts: ['hi'] },
  ]);
});

test('a notice is no part of a user’s words', () => {
  const turns = turn([user('hi'), notice('N'), user('and?')]);

  expect(turns).toEqual([{ role: 'user', texts: ['hi', 'N', 'and?'] }]);
});

test('results stand behind their calls, in their order', () => {
  const turns = turn([user('go'), reply('', [call('a'), call('b')]), result('b'), result('a')]);

  expect(turns.at(-1)).toEqual({ role: 'tool', results: [result('a'), result('b')] });
});

test('calls and results stay adjacent', () => {
  const turns = turn([user('go'), reply('', [call('a')]), notice('N'), result('a')]);

  expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
});

test('a call without result gets one that says so', () => {
  const turns = turn([user('go'), reply('', [call('a'), call('b')]), result('a')]);

  const last = turns.at(-1);
  expect(last?.role === 'tool' && last.results.map(({ callId, text }) => [callId, text])).toEqual([
    ['a', result('a').text],
    ['b', expect.stringContaining('There is no answer')],
  ]);
});

test('results without their calls are left out', () => {
  const turns = turn([result('gone'), notice('N'), reply('ok')]);

  expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

test('each call keeps the result of its own step', () => {
  const first = { ...result('a'), text: 'first' };
  const second = { ...result('a'), text: 'second' };

  const turns = turn([reply('', [call('a')]), first, reply('', [call('a')]), second]);

  const texts = turns.flatMap((each) => (each.role === 'tool' ? each.results.map(({ text }) => text) : []));
  expect(texts).toEqual(['first', 'second']);
});

test('a result of a later step answers no earlier call', () => {
  const turns = turn([reply('', [call('a')]), reply('', [call('a')]), result('a')]);

  const texts = turns.flatMap((each) => (each.role === 'tool' ? each.results.map(({ text }) => text) : []));
  expect(texts).toEqual([expect.stringContaining('There is no answer'), result('a').text]);
});

test.each([user(' '), notice(''), reply('\n'), { role: 'system', text: '' } as const])(
  'blank messages are left out: %j',
  (message) => {
    expect(turn([user('hi'), message])).toEqual([{ role: 'user', texts: ['hi'] }]);
  },
);

test('strict roles have the assistant between results and words', () => {
  const messages = [user('go'), reply('', [call('a')]), result('a'), notice('N')];

  const turns = alternateRoles(messages, { alternation: 'strict' });

  expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
});

test.each(['free', 'strict'] as const)('%s roles: adding leaves earlier turns alone', (alternation) => {
  const messages: ChatMessage[] = [
    { role: 'system', text: 'S' },
    user('go'),
    reply('on it', [call('a'), call('b')]),
    result('a'),
    result('b'),
    notice('N1'),
    reply('done'),
    notice('N2'),
    user('and?'),
    reply('yes'),
  ];
  const whole = alternateRoles(messages, { alternation });

  const places = [...messages.keys()].filter((place) => place > 0 && messages[place]?.role !== 'tool');
  for (const place of places) {
    const earlier = alternateRoles(messages.slice(0, place), { alternation });
    expect(whole.slice(0, earlier.length).map(toWords)).toMatchObject(earlier.map(toWords));
    expect(whole.slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
  }
});

/** Of the user's side only how it begins: texts may be added. */
function toWords(turn: Turn): unknown {
  return turn.role === 'user' ? turn.texts[0] : turn;
}
