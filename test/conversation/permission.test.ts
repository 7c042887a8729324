import { expect, test } from 'vitest';
import type { Ask } from '../../src/policy/authorize.ts';
import { arrange, nextEvent } from './arrange.ts';

const run = { calls: [{ name: 'run_command', arguments: { command: 'make' } }] };

function arrangeAsk(ask: Ask | undefined) {
  return arrange({
    steps: [run, { text: 'I see' }],
    script: (scripted) => {
      scripted.comeUp();
      scripted.exit();
    },
    more: { policy: { mode: 'default', askTimeout: '1m' }, ...(ask !== undefined && { ask }) },
  });
}

test('a start is asked for, and made when allowed', async () => {
  await using given = arrangeAsk(async () => true);

  await given.conversation.say('go');

  const questions = given.events.flatMap((event) =>
    event.type === 'permission.asked' ? [event.question] : [],
  );
  expect(questions).toMatchObject([{ tool: 'run_command', permission: 'start', start: { command: 'make' } }]);
  expect(given.answers()).toMatchObject([{ ok: true }]);
});

test.for<[string, Ask | undefined, RegExp]>([
  ['refused', async () => false, /^Denied: .*did not consent/],
  ['asked of one who throws', () => Promise.reject(new Error('no line')), /^Denied: .*no line/],
  ['without a person to ask', undefined, /^Denied: .*no person to ask/],
])('a start that is %s is not made', async ([, ask, expected]) => {
  await using given = arrangeAsk(ask);

  const outcome = await given.conversation.say('go');

  expect(given.backend.runs).toEqual([]);
  expect(given.answers()).toMatchObject([{ ok: false, error: expect.stringMatching(expected) }]);
  expect(outcome).toEqual({ type: 'answered', text: 'I see' });
});

test('an unanswered question is a denial', async () => {
  let signal: AbortSignal | null = null;
  await using given = arrangeAsk((_, stop) => {
    signal = stop;
    return new Promise(() => {});
  });
  const asked = nextEvent(given, 'permission.asked');
  const said = given.conversation.say('go');
  await asked;

  given.clock.advance(59_999);
  const statusBefore = given.conversation.status;
  given.clock.advance(1);
  await said;

  expect(statusBefore).toBe('acting');
  expect(given.backend.runs).toEqual([]);
  expect(given.answers()).toMatchObject([{ ok: false, error: expect.stringMatching(/^Denied: .*1m/) }]);
  expect(signal).toMatchObject({ aborted: true });
});

test('a denied tool is not offered', async () => {
  let offered: string[] = [];
  await using given = arrange({
    steps: [],
    more: {
      policy: { mode: 'plan' },
      model: {
        name: 'curious',
        async *stream({ tools }) {
          offered = tools.map(({ name }) => name);
          yield { type: 'text', text: 'I see' };
        },
      },
    },
  });

  await given.conversation.say('go');

  expect(offered).toContain('check_process');
  expect(offered).not.toContain('kill_process');
});
