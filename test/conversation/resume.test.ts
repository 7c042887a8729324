import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { createMemoryJournal } from '../../src/store/journal.ts';
import { arrange, startServer } from './arrange.ts';
import { findTranscriptFaults } from './transcript-faults.ts';

const id = 'conv_resumed';

/** What a program wrote down that ended between a delivery and the reply. */
const abandoned = [
  { type: 'delivered', ids: ['m1'], messages: [{ role: 'user', text: 'How many are there?' }] },
  { type: 'arrived', entry: { kind: 'message', id: 'm2', attention: 'turn', text: 'Hurry.' } },
].map((entry) => JSON.stringify(entry));

test('an unfinished turn is gone on with', async () => {
  await using given = arrange({
    steps: [{ text: 'seven' }],
    more: { id, journal: createMemoryJournal(abandoned.slice(0, 1)) },
  });

  await given.conversation.idle();

  expect(given.roles()).toEqual(['user', 'notice', 'assistant']);
  expect(given.events[0]).toEqual({ type: 'turn.started', because: 'resumption' });
  expect(given.notices()[0]?.text).toContain('The program has ended since');
});

test('steps of a journal and messages have their time', async () => {
  const journal = createMemoryJournal();
  await using given = arrange({ steps: [{ text: 'seven' }], more: { id, journal } });

  await given.conversation.say('How many are there?');

  const steps = journal.lines.map((line): { at: number; type: string } => JSON.parse(line));
  expect(steps.map(({ type }) => type)).toEqual(['arrived', 'delivered', 'recorded', 'rested']);
  expect(new Set(steps.map(({ at }) => at))).toEqual(new Set([given.clock.epochMs()]));
  expect(given.conversation.transcript.map(({ at }) => at)).toEqual([
    given.clock.epochMs(),
    given.clock.epochMs(),
  ]);
});

test('a waiting notice is delivered in the first turn', async () => {
  await using given = arrange({
    steps: [{ text: 'seven' }],
    more: { id, journal: createMemoryJournal(abandoned) },
  });

  await given.conversation.idle();

  expect(given.roles()).toEqual(['user', 'notice', 'user', 'assistant']);
});

test('a finished conversation rests until something happens', async () => {
  const lines: string[] = [];
  {
    await using first = arrange({
      steps: [{ text: 'hello' }],
      more: { id, journal: createMemoryJournal(lines) },
    });
    await first.conversation.say('hi');
  }

  await using second = arrange({
    steps: [{ text: 'hello again' }],
    more: { id, journal: createMemoryJournal(lines) },
  });
  await second.conversation.idle();
  const before = second.roles();
  await second.conversation.say('still there?');

  expect(before).toEqual(['user', 'assistant', 'notice']);
  expect(second.roles()).toEqual(['user', 'assistant', 'notice', 'user', 'assistant']);
});

test('a new system prompt takes the place of the old', async () => {
  const lines: string[] = [];
  const open = (systemPrompt: string) =>
    arrange({
      steps: [{ text: 'yes' }],
      more: { id, systemPrompt, journal: createMemoryJournal(lines) },
    });
  {
    await using first = open('Be brief.');
    await first.conversation.say('hi');
  }

  await using second = open('Be exact.');

  expect(second.conversation.transcript[0]).toEqual({ role: 'system', text: 'Be exact.' });
  expect(second.roles()).toEqual(['system', 'user', 'assistant', 'notice']);
});

test('a conversation reports a failing journal and continues without it', async () => {
  const journal = {
    read: () => [],
    append: () => {
      throw new Error('ENOSPC: no space left on device');
    },
    close: () => {},
  };
  await using given = arrange({ steps: [{ text: 'still here' }], more: { journal } });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'still here' });
  expect(given.events).toContainEqual({
    type: 'journal.failed',
    error: 'ENOSPC: no space left on device',
  });
});

test('a shortened transcript names what is alive', async () => {
  await using given = arrange({
    steps: [startServer, { text: 'started' }, { text: 'two' }, { text: 'three' }],
    more: { systemPrompt: 'Be brief.' },
  });
  for (const text of ['one', 'two', 'three']) await given.conversation.say(text);

  const removed = await given.conversation.shorten({ keepMessages: 2, summary: 'A server was <started>.' });

  expect(given.roles()).toEqual(['system', 'notice', 'user', 'assistant']);
  expect(removed).toBe(6);
  const digest = given.notices()[0]?.text ?? '';
  expect(digest).toContain('A server was &lt;started&gt;.');
  expect(digest).toContain(`<process id="${given.supervisor.list()[0]?.id}" label="server"`);
  expect(given.events).toContainEqual({ type: 'transcript.shortened', removed: 6, emptied: 0 });
});

test('shortening never parts calls from their results', async () => {
  const look = { calls: [1, 2].map(() => ({ name: 'list_processes', arguments: {} })) };
  for (let keepMessages = 0; keepMessages < 8; keepMessages += 1) {
    await using given = arrange({ steps: [look, look, { text: 'seen' }] });
    await given.conversation.say('go');

    await given.conversation.shorten({ keepMessages });

    expect(findTranscriptFaults(given.conversation.transcript)).toEqual([]);
    expect(given.roles().length).toBeLessThanOrEqual(keepMessages + 1);
  }
});

test('a long transcript is shortened before a turn', async () => {
  await using given = arrange({
    steps: Array.from({ length: 9 }, (_, index) => ({ text: `answer ${index}` })),
    more: { maxMessages: 10 },
  });

  for (let count = 0; count < 9; count += 1) await given.conversation.say(`question ${count}`);

  expect(given.roles().length).toBeLessThanOrEqual(12);
  expect(given.conversation.transcript.at(-1)).toMatchObject({ text: 'answer 8' });
  expect(given.events.filter(({ type }) => type === 'transcript.shortened').length).toBeGreaterThan(0);
});

test('ends from before the resumption are reported', async () => {
  const journal = createMemoryJournal();
  await using given = arrange({
    steps: [startServer, { text: 'started' }],
    more: { id: 'conv_kept', journal },
  });
  await given.conversation.say('serve');
  // Dropped without a word, as by a host that forgets to close.
  const lines = [...journal.lines];

  given.backend.lastRun.exit({ code: 4 });
  await given.settled(1);
  const again = createConversation({
    supervisor: given.supervisor,
    model: createScriptedModel([{ text: 'it has failed' }]),
    id: 'conv_kept',
    journal: createMemoryJournal(lines),
    policy: { mode: 'dangerous' },
  });
  await again.idle();

  const told = again.transcript.flatMap((message) =>
    message.role === 'notice' ? message.completionIds : [],
  );
  expect(told).toEqual([`${given.supervisor.list()[0]?.id}/1/ended`]);
  await again.close();
});
