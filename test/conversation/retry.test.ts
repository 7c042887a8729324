import { expect, test } from 'vitest';
import { ModelError } from '../../src/models/model-error.ts';
import type { ScriptedStep } from '../../src/models/scripted-model.ts';
import { arrange, nextEvent } from './arrange.ts';

const busy = (retryAfterMs: number | null = null): ScriptedStep =>
  new ModelError({ failure: 'unavailable', message: 'Busy.', retryAfterMs });

/** Says something, and moves the clock on by what each failure asks for. */
async function sayWithRetries(given: ReturnType<typeof arrange>) {
  given.conversation.events$.subscribe((event) => {
    if (event.type === 'model.failed') queueMicrotask(() => given.clock.advance(event.inMs));
  });
  const outcome = await given.conversation.say('go');
  const pauses = given.events.flatMap((event) => (event.type === 'model.failed' ? [event.inMs] : []));
  return { outcome, pauses };
}

test('each pause is twice as long as the last', async () => {
  await using given = arrange({ steps: [busy(), busy(), busy(), { text: 'at last' }] });

  const { outcome, pauses } = await sayWithRetries(given);

  expect(outcome).toEqual({ type: 'answered', text: 'at last' });
  expect(pauses).toEqual([1_000, 2_000, 4_000]);
});

test('a pause has its limit', async () => {
  await using given = arrange({
    steps: [...Array.from({ length: 7 }, () => busy()), { text: 'at last' }],
    more: { retry: { maxRetries: 7 } },
  });

  const { pauses } = await sayWithRetries(given);

  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('the endpoint is asked no sooner than it wants', async () => {
  await using given = arrange({ steps: [busy(45_000), busy(10), { text: 'at last' }] });

  const { pauses } = await sayWithRetries(given);

  expect(pauses).toEqual([45_000, 2_000]);
});

test('it is not asked before the pause is over', async () => {
  await using given = arrange({ steps: [busy(), { text: 'at last' }] });
  const failed = nextEvent(given, 'model.failed');
  const said = given.conversation.say('go');
  await failed;

  given.clock.advance(999);
  const statusBefore = given.conversation.status;
  given.clock.advance(1);

  expect(await said).toEqual({ type: 'answered', text: 'at last' });
  expect(statusBefore).toBe('waiting');
});

test('too many failures end the turn in words', async () => {
  await using given = arrange({
    steps: [busy(), busy(), { text: 'too late' }],
    more: { retry: { maxRetries: 1 } },
  });

  const { outcome, pauses } = await sayWithRetries(given);

  expect(outcome).toEqual({ type: 'failed', error: 'Busy.' });
  expect(pauses).toHaveLength(1);
  expect(given.events.flatMap((event) => (event.type === 'model.failed' ? [event.attempt] : []))).toEqual([
    1,
  ]);
});

test('what cannot help is not tried again', async () => {
  await using given = arrange({
    steps: [new ModelError({ failure: 'unauthorized', message: 'No key.' }), { text: 'too late' }],
  });

  const { outcome, pauses } = await sayWithRetries(given);

  expect(outcome).toEqual({ type: 'failed', error: 'No key.' });
  expect(pauses).toEqual([]);
});

test('a success in between begins the count again', async () => {
  const look = { calls: [{ name: 'list_processes', arguments: {} }] };
  await using given = arrange({
    steps: [busy(), look, busy(), { text: 'done' }],
    more: { retry: { maxRetries: 1 } },
  });

  const { outcome, pauses } = await sayWithRetries(given);

  expect(outcome).toEqual({ type: 'answered', text: 'done' });
  expect(pauses).toEqual([1_000, 1_000]);
});

test('an empty reply is a failure of the model', async () => {
  await using given = arrange({ steps: [{ text: ' \n' }, {}, { text: 'a word' }] });

  const { outcome } = await sayWithRetries(given);

  expect(outcome).toEqual({ type: 'answered', text: 'a word' });
  expect(given.roles()).toEqual(['user', 'assistant']);
  expect(given.events.filter(({ type }) => type === 'model.failed')).toMatchObject([
    { error: expect.stringContaining('empty answer') },
    { error: expect.stringContaining('empty answer') },
  ]);
});

test('words of a reply that broke off are taken back', async () => {
  let asked = 0;
  await using given = arrange({
    steps: [],
    more: {
      model: {
        name: 'cut',
        async *stream() {
          asked += 1;
          yield { type: 'text', text: `try ${asked}` };
          if (asked === 1) throw new ModelError({ failure: 'cut', message: 'Cut.' });
        },
      },
    },
  });

  const { outcome } = await sayWithRetries(given);

  const types = given.events.map(({ type }) => type);
  expect(outcome).toEqual({ type: 'answered', text: 'try 2' });
  expect(types.filter((type) => type.startsWith('text.'))).toEqual([
    'text.written',
    'text.discarded',
    'text.written',
  ]);
  expect(given.roles()).toEqual(['user', 'assistant']);
});
