import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CompactionRequest } from '../../src/conversation/compact.ts';
import { compactTranscript, sizeOf } from '../../src/conversation/shorten-transcript.ts';
import type { ChatMessage, TokenUsage } from '../../src/models/chat-model.ts';
import { ModelError } from '../../src/models/model-error.ts';
import type { ScriptedReply, ScriptedStep } from '../../src/models/scripted-model.ts';
import { createMemoryJournal } from '../../src/store/journal.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { arrange, gate, nextEvent, startServer } from './arrange.ts';
import { findRequestFaults, findTranscriptFaults } from './transcript-faults.ts';

const tooLong = new ModelError({ failure: 'tooLong', message: 'Too long.' });

const OUTPUT = 'a line of output\n'.repeat(600);
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.strictObject({ at: z.number() }),
  execute: async () => ({ ok: true, data: OUTPUT }),
});
const looks = (count: number): readonly ScriptedReply[] =>
  Array.from({ length: count }, (_, at) => ({ calls: [{ name: 'look', arguments: { at } }] }));
const news = { id: 'ci/1', source: 'CI', text: 'It is red.' };

/** Fails while the messages have more bytes than this, and then follows the script. */
function narrow(maxBytes: number, step: ScriptedStep = { text: 'done' }) {
  const asked: (readonly ChatMessage[])[] = [];
  const ask: ScriptedStep = (messages, request) => {
    asked.push(messages);
    const bytes = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    if (bytes > maxBytes) throw tooLong;
    return typeof step === 'function' ? step(messages, request) : (step as { text: string });
  };
  return { ask, asked };
}

test('a turn continues after its conversation became too long', async () => {
  const { ask, asked } = narrow(20_000);
  await using given = arrange({
    steps: [...looks(6), ask, ask, ask, ask],
    tools: [look],
    more: { systemPrompt: 'Be brief.' },
  });
  given.conversation.notify({ ...news, attention: 'context' });

  const outcome = await given.conversation.say('Look six times.');

  expect(outcome).toEqual({ type: 'answered', text: 'done' });
  expect(asked.flatMap(findRequestFaults)).toEqual([]);
  const [system, digest, notice, task] = given.conversation.transcript;
  expect(system).toEqual({ role: 'system', text: 'Be brief.' });
  expect(digest?.text).toContain('kind="digest"');
  expect(notice?.text).toContain('It is red.');
  expect(task).toMatchObject({ role: 'user', text: 'Look six times.' });
  expect(given.conversation.transcript.at(-2)).toMatchObject({
    role: 'tool',
    text: expect.stringContaining('a line'),
  });
});

test('a dropped message is reported as it happens', async () => {
  const { ask } = narrow(50_000);
  await using given = arrange({
    steps: [...looks(7), ask, ask, ask],
    tools: [look],
  });

  await given.conversation.say('go');

  const told = given.events.filter(({ type }) => /^(compaction|transcript)\./.test(type));
  expect(told).toEqual([
    { type: 'compaction.started', because: 'model', tokens: expect.any(Number) },
    { type: 'transcript.shortened', removed: 0, emptied: 4 },
  ]);
});

test('a digest of living processes replaces the removed messages', async () => {
  const { ask } = narrow(3_000);
  await using given = arrange({ steps: [startServer, ...looks(1), ask, ask, ask, ask, ask], tools: [look] });

  await given.conversation.say('serve');

  const digests = given.notices().filter(({ text }) => text.includes('kind="digest"'));
  expect(digests).toHaveLength(1);
  expect(digests[0]?.text).toContain(`<process id="${given.supervisor.list()[0]?.id}" label="server"`);
});

test('a task that is too long by itself fails with an explanation', async () => {
  const { ask } = narrow(1_000);
  await using given = arrange({ steps: Array.from({ length: 9 }, () => ask) });

  const outcome = await given.conversation.say('x'.repeat(9_000));

  expect(outcome).toEqual({
    type: 'failed',
    error: expect.stringMatching(/^Too long\. It cannot be shortened further; begin a new conversation/),
  });
});

test('a conversation that failed for its length is no longer lost', async () => {
  const { ask } = narrow(5_000);
  await using given = arrange({ steps: [...Array.from({ length: 9 }, () => ask)] });
  await given.conversation.say('x'.repeat(9_000));

  const outcome = await given.conversation.say('Just say something.');

  expect(outcome.type).toBe('failed');
  expect(findTranscriptFaults(given.conversation.transcript)).toEqual([]);
});

test('a shorter transcript is the same after a crash', async () => {
  const journal = createMemoryJournal();
  const { ask } = narrow(20_000, () => new Promise(() => {}) as never);
  const asked = gate();
  let count = 0;
  await using given = arrange({
    steps: [
      ...looks(6),
      ...Array.from(
        { length: 4 },
        (): ScriptedStep => (messages, request) => {
          count += 1;
          if (count === 2) asked.open();
          return typeof ask === 'function' ? ask(messages, request) : ask;
        },
      ),
    ],
    tools: [look],
    more: { id: 'conv_kept', journal },
  });
  void given.conversation.say('go');
  await asked.passed;
  const before = given.conversation.transcript;

  const seen: (readonly ChatMessage[])[] = [];
  await using again = arrange({
    steps: [
      (messages) => {
        seen.push(messages);
        return { text: 'resumed' };
      },
    ],
    tools: [look],
    more: { id: 'conv_kept', journal: createMemoryJournal([...journal.lines]) },
  });
  await again.conversation.idle();

  expect(seen[0]?.slice(0, -1)).toEqual(before);
});

test.for<[string, TokenUsage | null, readonly object[]]>([
  ['that the usage exceeds', { inputTokens: 20_000, outputTokens: 10 }, [{ because: 'limit' }]],
  ['that nothing has reached', null, []],
])('a limit of tokens %s is kept to', async ([, usage, expected]) => {
  await using given = arrange({
    steps: [{ ...looks(1)[0], ...(usage !== null && { usage }) }, { text: 'done' }],
    tools: [look],
    more: { maxContextTokens: 15_000 },
  });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'done' });
  expect(given.events.filter(({ type }) => type === 'compaction.started')).toMatchObject(expected);
});

test('a hook makes a summary in the middle of a turn', async () => {
  const requests: CompactionRequest[] = [];
  const { ask, asked } = narrow(15_000);
  await using given = arrange({
    steps: [...looks(2), ask, ask],
    tools: [look],
    more: {
      compact: async (request) => {
        requests.push(request);
        const { messages } = request;
        const task = messages.filter(({ role }) => role === 'user');
        return [
          ...task,
          { role: 'assistant', text: 'I have looked once.', toolCalls: [] },
          ...messages.slice(-2),
        ];
      },
    },
  });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'done' });
  expect(asked.at(-1)?.map(({ role }) => role)).toEqual(['notice', 'user', 'assistant', 'assistant', 'tool']);
  expect(requests).toHaveLength(1);
  expect(requests[0]?.maxTokens).toBe(Math.floor((requests[0]?.tokens ?? 0) / 2));
});

test.for<[string, (request: CompactionRequest) => readonly ChatMessage[], string]>([
  [
    'throws',
    () => {
      throw new Error('no summary today');
    },
    'no summary today',
  ],
  ['parts calls from their results', ({ messages }) => messages.slice(-1), 'does not follow its call'],
  [
    'ends with the agent',
    () => [{ role: 'assistant', text: 'A summary.', toolCalls: [] }],
    'the last message',
  ],
  ['returns no messages', () => 'a summary' as never, 'not return a list of messages'],
])('a hook that %s is replaced by the default', async ([, compact, words]) => {
  const { ask } = narrow(20_000);
  await using given = arrange({
    steps: [...looks(6), ask, ask, ask],
    tools: [look],
    more: { compact },
  });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'done' });
  expect(given.events).toContainEqual({ type: 'compaction.failed', error: expect.stringContaining(words) });
});

test('a compaction that is interrupted changes nothing', async () => {
  const held = gate();
  await using given = arrange({
    steps: [...looks(1), () => Promise.reject(tooLong)],
    tools: [look],
    more: { compact: () => held.passed.then(() => []) },
  });
  const started = nextEvent(given, 'compaction.started');
  const said = given.conversation.say('go');
  await started;

  await given.conversation.interrupt();
  held.open();

  expect(await said).toEqual({ type: 'interrupted' });
  expect(given.roles()).toEqual(['user', 'assistant', 'tool']);
});

test('a conversation at rest is compacted on demand', async () => {
  await using given = arrange({ steps: [...looks(2), { text: 'done' }], tools: [look] });
  await given.conversation.say('go');

  const isShorter = await given.conversation.compact();

  expect(isShorter).toBe(true);
  expect(given.roles()).toEqual(['notice', 'user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
  expect(Buffer.byteLength(JSON.stringify(given.conversation.transcript))).toBeLessThan(OUTPUT.length * 1.5);
});

test('a message during a compaction waits for its end', async () => {
  const held = gate();
  await using given = arrange({
    steps: [{ text: 'first' }, { text: 'second' }],
    more: { compact: ({ messages }) => held.passed.then(() => messages.slice(-1)) },
  });
  await given.conversation.say('one');
  const started = nextEvent(given, 'compaction.started');
  const compacted = given.conversation.compact();
  await started;

  const said = given.conversation.say('two');
  held.open();

  expect(await compacted).toBe(true);
  expect(await said).toEqual({ type: 'answered', text: 'second' });
  expect(given.roles()).toEqual(['notice', 'assistant', 'user', 'assistant']);
});

test('a closed conversation is not compacted', async () => {
  await using given = arrange({ steps: [] });
  await given.conversation.close();

  expect(await given.conversation.compact()).toBe(false);
});

const blocks = fc.array(
  fc.record({ kind: fc.constantFrom('user', 'notice', 'answer', 'step'), length: fc.nat(12_000) }),
  { minLength: 1, maxLength: 30 },
);

test('a compaction keeps the task and the results of calls', () => {
  fc.assert(
    fc.property(
      blocks,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 2 }),
      (wanted, share, most) => {
        const messages = [...toMessages({ kind: 'user', length: 9 }, -1), ...wanted.flatMap(toMessages)];
        const bounds = { maxBytes: sizeOf(messages) * share, maxMessages: most };

        const shorter = compactTranscript(messages, bounds)?.messages ?? messages;

        expect(findTranscriptFaults(shorter).filter((fault) => !fault.includes('follows another'))).toEqual(
          [],
        );
        expect(shorter).toContain(messages[0]);
        expect(shorter.at(-1)?.role).toBe(messages.at(-1)?.role);
        expect(sizeOf(shorter)).toBeLessThanOrEqual(sizeOf(messages));
      },
    ),
  );
});

function toMessages(
  { kind, length }: { kind: string; length: number },
  index: number,
): readonly ChatMessage[] {
  const text = `${index}${'x'.repeat(length)}`;
  if (kind === 'user') return [{ role: 'user', text }];
  if (kind === 'notice') return [{ role: 'notice', completionIds: [text], text }];
  if (kind === 'answer') return [{ role: 'assistant', text, toolCalls: [] }];
  const ids = [`call_${index}_1`, `call_${index}_2`];
  const toolCalls = ids.map((id) => ({ id, name: 'look', argumentsText: '{}' }));
  const results = ids.map((callId) => ({ role: 'tool', callId, name: 'look', text }) as const);
  return [{ role: 'assistant', text: '', toolCalls }, ...results];
}
