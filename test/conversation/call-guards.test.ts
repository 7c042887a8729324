import { expect, test } from 'vitest';
import { createCallGuards } from '../../src/conversation/call-guards.ts';
import type { ScriptedCall } from '../../src/models/scripted-model.ts';
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
    expect(answer).toEqual({
      ok: false,
      error:
        'You have made the same call 4 times in this turn, with the same result or with nothing else in between, so it was not made again. ' +
        'A notice arrives on its own when a process ends: do something else, or finish your turn and you will be woken.',
    });
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

  expect(guards.advise(call('fetch'), once)).toEqual({
    ok: false,
    error:
      '"fetch" has failed 3 times in a row and is not called again in this turn. Try another way, or report what prevents you.',
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

/** Makes calls one after the other; says which were not made. */
function make(calls: readonly (readonly [name: string, result: unknown])[]): readonly boolean[] {
  const guards = createCallGuards();
  return calls.map(([name, result], index) => {
    const made = { ...call(name), id: `call_${index}` };
    const isMade = guards.advise(made, once) === null;
    if (isMade) guards.note(made, { ok: true, data: result });
    return isMade;
  });
}

const times = <T>(count: number, each: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => each(index));

test('a call between others is no repeat when its result changes', () => {
  const calls = times(6, (round) => [['test', `run ${round}`] as const, ['edit', round] as const]).flat();

  expect(make(calls)).toEqual(times(12, () => true));
});

test('a call between others is a repeat when its result is the same', () => {
  const calls = times(6, (round) => [['test', 'red'] as const, ['edit', round] as const]).flat();

  const tests = make(calls).filter((_, index) => index % 2 === 0);

  expect(tests).toEqual([true, true, true, true, false, false]);
});

test('a poll with nothing between is a repeat whatever it says', () => {
  const calls = times(5, (round) => ['poll', `after ${round} s`] as const);

  expect(make(calls)).toEqual([true, true, true, true, false]);
});

test('a repeated call is free again after something else', () => {
  const polls = times(4, (round) => ['poll', `after ${round} s`] as const);

  expect(make([...polls, ['look', 1], ['poll', 'after 9 s']]).at(-1)).toBe(true);
});

test('the same call is no repeat after news', () => {
  const guards = createCallGuards();
  for (let count = 0; count < 4; count += 1) {
    guards.advise(call('poll'), once);
    guards.note(call('poll'), { ok: true, data: count });
  }

  guards.noteDelivery();

  expect(guards.advise(call('poll'), once)).toBeNull();
});

test.for<[string, ScriptedCall]>([
  ['denials', { name: 'run_command', arguments: { command: 'rm -rf /' } }],
  ['wrong arguments', { name: 'run_command', arguments: { comand: 'ls' } }],
  ['broken arguments', { name: 'run_command', argumentsText: '{"command": "l' }],
])('three parallel %s close no tool', async ([, wrong]) => {
  await using given = arrange({
    steps: [
      { calls: [wrong, wrong, wrong] },
      { calls: [{ name: 'run_command', arguments: { command: 'ls' } }] },
      { text: 'done' },
    ],
    script: (run) => {
      run.comeUp();
      run.print('a file\n');
      run.exit();
    },
  });

  await given.conversation.say('go');

  expect(given.answers().map(({ ok }) => ok)).toEqual([false, false, false, true]);
});

test('unknown ids close no tool', async () => {
  const look = (id: string) => ({ name: 'check_process', arguments: { process_id: id } });
  await using given = arrange({
    steps: [{ calls: ['a', 'b', 'c', 'd'].map(look) }, { calls: [look('e')] }, { text: 'done' }],
  });

  await given.conversation.say('go');

  expect(given.answers().map(({ error }) => error)).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((id) => expect.stringContaining(`Process ${id} not found`)),
  );
});

test('a delivery between two calls begins the count again', () => {
  const guards = createCallGuards();

  const advice = [1, 2, 3, 4, 5, 6].map(() => {
    guards.noteDelivery();
    return guards.advise(call('check'), once);
  });

  expect(advice).toEqual([null, null, null, null, null, null]);
});

test('a call that waits interrupts a row of the same calls', () => {
  const guards = createCallGuards();

  const advice = [1, 2, 3, 4, 5, 6].map(() => {
    guards.advise(call('wait'), { waits: true });
    return guards.advise(call('check'), once);
  });

  expect(advice).toEqual([null, null, null, null, null, null]);
});

test('calls whose arguments are no object count by their text', () => {
  const guards = createCallGuards();
  const broken = (argumentsText: string) => guards.advise({ ...call('look'), argumentsText }, once);

  const answers = ['{', '{', '{', '{', '{', '[', '7', '7', '7', '7', '7'].map(
    (text) => broken(text) === null,
  );

  expect(answers).toEqual([true, true, true, true, false, true, true, true, true, true, false]);
});
