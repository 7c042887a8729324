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

test('a pause is twice as long as the last', async () => {
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

test('a model is not asked before the pause ends', async () => {
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

test('a permanent failure is not retried', async () => {
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

const news = { id: 'mail/7', source: 'a mailbox', text: 'You have mail.' };

test('a notice turn is resumed when the model is back', async () => {
  await using given = arrange({ steps: [...Array.from({ length: 9 }, () => busy()), { text: 'read it' }] });
  given.conversation.events$.subscribe((event) => {
    if (event.type === 'model.failed') queueMicrotask(() => given.clock.advance(event.inMs));
  });

  given.conversation.notify(news);
  await given.conversation.idle();

  const pauses = given.events.flatMap((event) => (event.type === 'model.failed' ? [event.inMs] : []));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256].map((seconds) => seconds * 1_000));
  expect(given.roles()).toEqual(['notice', 'assistant']);
});

test('a notice turn gives up after its last retry', async () => {
  await using given = arrange({
    steps: Array.from({ length: 9 }, () => busy()),
    more: { retry: { maxRetries: 0, maxNoticeRetries: 2 } },
  });
  given.conversation.events$.subscribe((event) => {
    if (event.type === 'model.failed') queueMicrotask(() => given.clock.advance(event.inMs));
  });

  given.conversation.notify(news);
  await given.conversation.idle();

  expect(given.events.at(-1)).toEqual({ type: 'turn.ended', outcome: { type: 'failed', error: 'Busy.' } });
  expect(given.events.filter(({ type }) => type === 'model.failed')).toHaveLength(2);
});

test("a person's words end the pause of a notice turn", async () => {
  await using given = arrange({ steps: [busy(), { text: 'both read' }] });
  const failed = nextEvent(given, 'model.failed');
  given.conversation.notify(news);
  await failed;

  const outcome = await given.conversation.say('anything new?');

  expect(outcome).toEqual({ type: 'answered', text: 'both read' });
  expect(given.roles()).toEqual(['notice', 'user', 'assistant']);
});

test('words in a pause that the endpoint asked for wait for its end', async () => {
  await using given = arrange({ steps: [busy(45_000), { text: 'both read' }] });
  const failed = nextEvent(given, 'model.failed');
  given.conversation.notify(news);
  await failed;

  const said = given.conversation.say('anything new?');
  given.clock.advance(44_999);
  const rolesBefore = given.roles();
  given.clock.advance(1);

  expect(await said).toEqual({ type: 'answered', text: 'both read' });
  expect(rolesBefore).toEqual(['notice']);
});

test('an empty reply to a notice ends the turn', async () => {
  await using given = arrange({ steps: [{ text: 'hello' }, {}, { text: 'still here' }] });
  await given.conversation.say('hi');

  given.conversation.notify(news);
  await given.conversation.idle();
  const ended = given.events.at(-1);
  await given.conversation.say('there?');

  expect(ended).toEqual({ type: 'turn.ended', outcome: { type: 'answered', text: '' } });
  expect(given.roles()).toEqual(['user', 'assistant', 'notice', 'user', 'assistant']);
});

test('an empty reply to a notice among words is a failure', async () => {
  await using given = arrange({ steps: [{}, { text: 'both read' }] });
  given.conversation.notify({ ...news, attention: 'context' });

  const { outcome } = await sayWithRetries(given);

  expect(outcome).toEqual({ type: 'answered', text: 'both read' });
});
