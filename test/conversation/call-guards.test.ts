import { expect, test } from 'vitest';
import { createCallGuards } from '../../src/conversation/call-guards.ts';
import type { ToolAnswer } from '../../src/tools/tool.ts';
import { arrange, toolThat } from './arrange.ts';

const call = (name: string, given: object = {}) => ({ id: 'x', name, argumentsText: JSON.stringify(given) });
const once = { waits: false };
const failed: ToolAnswer = { ok: false, error: 'No.' };

test('the fifth same call is not made', () => {
  const guards = createCallGuards();

  const advice = Array.from({ length: 6 }, () => guards.advise(call('check', { id: 1 }), once));

  expect(advice.slice(0, 4)).toEqual([null, null, null, null]);
  for (const answer of advice.slice(4))
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining('4 times in this turn') });
});

test('other arguments and other tools count for themselves', () => {
  const guards = createCallGuards();

  const advice = Array.from({ length: 12 }, (_, index) =>
    guards.advise(call(index % 2 === 0 ? 'check' : 'look', { id: index % 6 }), once),
  );

  expect(advice.filter((answer) => answer !== null)).toEqual([]);
});

test('a call that waits may be made again', () => {
  const guards = createCallGuards();

  const advice = Array.from({ length: 9 }, () => guards.advise(call('wait'), { waits: true }));

  expect(advice.every((answer) => answer === null)).toBe(true);
});

test('three failures in a row close a tool', () => {
  const guards = createCallGuards();

  for (let count = 0; count < 3; count += 1) guards.note(call('fetch', { count }), failed);

  expect(guards.advise(call('fetch'), once)).toMatchObject({
    ok: false,
    error: expect.stringMatching(/"fetch" has failed 3 times in a row/),
  });
  expect(guards.advise(call('other'), once)).toBeNull();
});

test('a success begins the count again', () => {
  const guards = createCallGuards();

  for (const answer of [failed, failed, { ok: true, data: 1 } as const, failed, failed])
    guards.note(call('fetch'), answer);

  expect(guards.advise(call('fetch'), once)).toBeNull();
});

test('a tool that worked is not doubted', () => {
  const guards = createCallGuards();

  for (let count = 0; count < 5; count += 1)
    guards.note(call('run'), { ok: false, error: 'exited with code 1', worked: true });

  expect(guards.advise(call('run'), once)).toBeNull();
});

test('the next turn begins without a past', async () => {
  let made = 0;
  const fails = toolThat('fails', async () => {
    made += 1;
    return failed;
  });
  const step = { calls: [{ name: 'fails', arguments: {} }] };
  await using given = arrange({
    steps: [step, step, step, step, { text: 'enough' }, step, { text: 'well' }],
    tools: [fails],
  });

  await given.conversation.say('go');
  const inFirst = made;
  await given.conversation.say('again');

  expect([inFirst, made]).toEqual([3, 4]);
  expect(given.answers()[3].error).toContain('is not called again in this turn');
});

test('each action of a tool has its own circuit', () => {
  const guards = createCallGuards();
  const act = (action: string) => ({ ...call('process'), argumentsText: JSON.stringify({ action }) });
  for (const _ of [1, 2, 3]) guards.note(act('write'), { ok: false, error: 'no such process' });

  expect(guards.advise(act('write'), { waits: false })).toMatchObject({ ok: false });
  expect(guards.advise(act('stop'), { waits: false })).toBeNull();
});

test('blanks and order make no other call', () => {
  const guards = createCallGuards();
  const texts = ['{"a":1,"b":2}', '{ "a": 1, "b": 2 }', '{"b":2,"a":1}', '{"a":1, "b":2}', '{"b": 2,"a":1}'];

  const answers = texts.map((argumentsText) =>
    guards.advise({ ...call('look'), argumentsText }, { waits: false }),
  );

  expect(answers.map((answer) => answer === null)).toEqual([true, true, true, true, false]);
});
