import { expect, test } from 'vitest';
import { waitUntil } from '../support/os.ts';
import { arrange, gate, lastProcessId, nextEvent, startServer, toolThat } from './arrange.ts';
import { findTranscriptFaults } from './transcript-faults.ts';

test('an interrupted model is not read to its end', async () => {
  const speaking = gate();
  let aborted = false;
  await using given = arrange({
    steps: [
      (_, { signal }) => {
        speaking.open();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(signal.reason);
          });
        });
      },
      { text: 'here again' },
    ],
  });
  const said = given.conversation.say('go');
  await speaking.passed;

  const isInterrupted = await given.conversation.interrupt();

  expect([isInterrupted, aborted]).toEqual([true, true]);
  expect(await said).toEqual({ type: 'interrupted' });
  expect(await given.conversation.say('and now?')).toEqual({ type: 'answered', text: 'here again' });
  expect(findTranscriptFaults(given.conversation.transcript)).toEqual([]);
});

test('the text of an interrupted model is kept', async () => {
  const [wrote, never] = [gate(), gate()];
  await using given = arrange({
    steps: [],
    more: {
      model: {
        name: 'half',
        async *stream() {
          yield { type: 'text', text: 'I begin with' };
          wrote.open();
          await never.passed;
        },
      },
    },
  });
  void given.conversation.say('go');
  await wrote.passed;
  await waitUntil(() => given.events.some(({ type }) => type === 'text.written'));

  await given.conversation.interrupt();

  expect(given.conversation.transcript.at(-1)).toMatchObject({
    role: 'assistant',
    text: 'I begin with',
    toolCalls: [],
  });
});

test('an interrupted foreground command goes to the background', async () => {
  await using given = arrange({
    steps: [{ calls: [{ name: 'run_command', arguments: { command: 'make' } }] }, { text: 'it has ended' }],
  });
  const said = given.conversation.say('go');
  await waitUntil(() => given.backend.runs.length === 1);

  await given.conversation.interrupt();
  const during = given.supervisor.list({ live: true }).map(({ status }) => status);
  given.backend.lastRun.exit();
  await given.settled(1);

  expect(await said).toEqual({ type: 'interrupted' });
  expect(during).toEqual(['backgrounded']);
  expect(given.answers()[0]).toMatchObject({ ok: true, data: { status: 'backgrounded' } });
  expect(given.notices()).toHaveLength(1);
});

test('a call that ignores its interruption is abandoned after 2 s', async () => {
  const made = gate();
  await using given = arrange({
    steps: [{ calls: [{ name: 'deaf', arguments: {} }] }],
    tools: [
      toolThat('deaf', () => {
        made.open();
        return new Promise(() => {});
      }),
    ],
  });
  const said = given.conversation.say('go');
  await made.passed;

  void given.conversation.interrupt();
  given.clock.advance(1_999);
  const before = given.conversation.status;
  given.clock.advance(1);

  expect(await said).toEqual({ type: 'interrupted' });
  expect(before).toBe('acting');
  expect(given.answers()).toEqual([
    { ok: false, error: 'The turn was interrupted before there was an answer.' },
  ]);
});

test('calls that were not made yet are not made', async () => {
  const hold = gate();
  let made = 0;
  await using given = arrange({
    steps: [{ calls: [1, 2, 3].map((n) => ({ name: 'work', arguments: {}, n })) }],
    tools: [
      toolThat('work', async () => {
        made += 1;
        await hold.passed;
        return { ok: true, data: 'worked' };
      }),
    ],
    more: { maxParallelTools: 1 },
  });
  const said = given.conversation.say('go');
  await waitUntil(() => made === 1);

  void given.conversation.interrupt();
  hold.open();
  await said;

  expect(made).toBe(1);
  expect(given.answers()).toMatchObject([
    { ok: true, data: 'worked' },
    { ok: false, error: expect.stringContaining('before this call was made') },
    { ok: false },
  ]);
});

test('a pause before a retry is cut short', async () => {
  await using given = arrange({
    steps: [],
    more: {
      model: {
        name: 'away',
        // biome-ignore lint/correctness/useYield: it never says anything.
        async *stream() {
          throw Object.assign(new Error('busy'), { statusCode: 503 });
        },
      },
    },
  });
  const alarms = given.clock.pending;
  const failed = nextEvent(given, 'model.failed');
  const said = given.conversation.say('go');
  await failed;

  const statusBefore = given.conversation.status;
  await given.conversation.interrupt();

  expect(statusBefore).toBe('waiting');
  expect(await said).toEqual({ type: 'interrupted' });
  expect(given.clock.pending).toBe(alarms);
});

test('interrupt returns false without a turn', async () => {
  await using given = arrange({ steps: [{ text: 'hello' }] });
  await given.conversation.say('hi');

  expect(await given.conversation.interrupt()).toBe(false);
});

test.for(['during the wait', 'before the wait'])('a message %s ends it, and no process', async (when) => {
  const speaking = gate();
  const spoken = gate();
  await using given = arrange({
    steps: [
      startServer,
      async (messages) => {
        const id = lastProcessId(messages);
        speaking.open();
        await spoken.passed;
        return { calls: [{ name: 'wait_for', arguments: { process_id: id } }] };
      },
      { text: 'you said?' },
    ],
  });
  const first = given.conversation.say('go');
  await speaking.passed;
  const isWaiting = new Promise<void>((resolve) => {
    given.conversation.events$.subscribe((event) => {
      if (event.type === 'tool.called' && event.call.name === 'wait_for') resolve();
    });
  });

  if (when === 'before the wait') void given.conversation.say('listen');
  spoken.open();
  await isWaiting;
  if (when === 'during the wait') void given.conversation.say('listen');
  await first;

  expect(given.answers()[1]).toMatchObject({ ok: true, data: { result: 'interrupted' } });
  expect(given.roles().slice(-3)).toEqual(['tool', 'user', 'assistant']);
  expect(given.supervisor.list({ live: true })).toHaveLength(1);
});
