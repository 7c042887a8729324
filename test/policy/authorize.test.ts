import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { type Ask, authorize } from '../../src/policy/authorize.ts';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { createGrants } from '../../src/policy/grant.ts';
import { createVirtualClock } from '../../src/testing/index.ts';

const request = {
  tool: 'run_command',
  permission: 'start',
  start: { command: 'npm test' },
  arguments: { command: 'npm test', timeout_seconds: 3 },
  callId: 'call-7',
  agent: 'coder',
} as const;

function pass(
  ask: Ask | null,
  { mode = 'default', signal = new AbortController().signal, clock = createVirtualClock() } = {},
) {
  const policy = createPolicy({ mode: mode as 'default', askTimeout: '30s' });
  return authorize(request, { policy, ask, grants: createGrants(), signal, clock });
}

test('an allowed call passes without a question', async () => {
  const ask = vi.fn<Ask>();

  expect(await pass(ask, { mode: 'auto' })).toEqual({ ok: true });
  expect(ask).not.toHaveBeenCalled();
});

test('a denied call is refused without a question', async () => {
  const ask = vi.fn<Ask>();

  expect(await pass(ask, { mode: 'plan' })).toEqual({
    ok: false,
    error:
      'Denied: No tool starts a process in the mode plan. Run only commands that read, such as ls, cat, rg and git diff; describe what you would do, and let the user change the mode.',
  });
  expect(ask).not.toHaveBeenCalled();
});

test('a question carries all that a person decides by', async () => {
  const ask = vi.fn<Ask>(async () => true);

  expect(await pass(ask)).toEqual({ ok: true });
  expect(ask.mock.calls[0]?.[0]).toEqual({
    ...request,
    question: 'run_command starts "npm test".',
    reason: 'The policy asks, in the mode default, before a tool starts a process.',
    always: ['npm test *'],
  });
});

test('a denial by the user says so', async () => {
  expect(await pass(async () => false)).toEqual({
    ok: false,
    error: 'Denied: The user did not consent. run_command starts "npm test".',
  });
});

test('a question without a person is a denial', async () => {
  expect(await pass(null)).toEqual({
    ok: false,
    error: `Denied: run_command starts "npm test". That needs consent, and there is no person to ask.`,
  });
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no terminal');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('no terminal');
    },
  ],
] as const)('an ask that %s is a denial', async (_, ask) => {
  expect(await pass(ask as unknown as Ask)).toEqual({
    ok: false,
    error: 'Denied: run_command starts "npm test". Asking failed: "no terminal".',
  });
});

test('an answer that is not exactly true is a denial', async () => {
  expect(await pass((async () => 'yes') as unknown as Ask)).toMatchObject({ ok: false });
});

test('no answer in time is a denial, and a late one changes nothing', async () => {
  const question = Promise.withResolvers<boolean>();
  const clock = createVirtualClock();
  const ask = vi.fn<Ask>(() => question.promise);
  const passage = pass(ask, { clock });
  await vi.waitUntil(() => ask.mock.calls.length === 1);
  const stop = ask.mock.calls[0]?.[1];

  clock.advance(29_999);
  expect(stop?.aborted).toBe(false);
  clock.advance(1);
  question.resolve(true);

  expect(await passage).toEqual({
    ok: false,
    error: 'Denied: run_command starts "npm test". No answer within 30s, so the call is not made.',
  });
  expect(stop?.aborted).toBe(true);
});

test('the end of the conversation is a denial', async () => {
  const conversation = new AbortController();
  const ask = vi.fn<Ask>(() => new Promise(() => {}));
  const passage = pass(ask, { signal: conversation.signal });
  await vi.waitUntil(() => ask.mock.calls.length === 1);

  conversation.abort();

  expect(await passage).toMatchObject({
    ok: false,
    error: expect.stringContaining('was withdrawn before an answer'),
  });
  expect(ask.mock.calls[0]?.[1].aborted).toBe(true);
});

test('a question after the end of the conversation is not asked', async () => {
  const ask = vi.fn<Ask>(async () => true);

  expect(await pass(ask, { signal: AbortSignal.abort() })).toMatchObject({ ok: false });
  expect(ask).not.toHaveBeenCalled();
});

test('a hundred questions leave nothing behind', async () => {
  const { signal } = new AbortController();
  const clock = createVirtualClock();
  const at = vi.spyOn(clock, 'at');
  const late = vi.fn<Ask>(async () => true);

  for (let count = 0; count < 100; count++) await pass(late, { signal, clock });
  clock.advance(3_600_000);

  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(at).toHaveBeenCalledTimes(100);
  expect(late.mock.calls.filter(([, stop]) => stop.aborted)).toEqual([]);
});
