import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../src/conversation/journal-entry.ts';
import { createMemory } from '../../src/conversation/memory.ts';
import { createMailbox } from '../../src/mailbox/mailbox.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { createMemoryJournal } from '../../src/store/journal.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { findTranscriptFaults } from './transcript-faults.ts';

const asks = (...ids: string[]): Extract<ChatMessage, { role: 'assistant' }> => ({
  role: 'assistant',
  text: '',
  toolCalls: ids.map((id) => ({ id, name: 'look', argumentsText: '{}' })),
});
const result = (callId: string): Extract<ChatMessage, { role: 'tool' }> => ({
  role: 'tool',
  callId,
  name: 'look',
  text: '{"ok":true}',
});
const arrived = (id: string): JournalEntry => ({
  type: 'arrived',
  entry: { kind: 'message', id, attention: 'turn', text: id },
});
const delivered = (id: string): JournalEntry => ({
  type: 'delivered',
  ids: [id],
  messages: [{ role: 'user', text: id }],
});

/** Two turns, the first with two calls at once whose results come the wrong way round. */
const journal: readonly JournalEntry[] = [
  { type: 'shortened', messages: [{ role: 'system', text: 'Be brief.' }] },
  arrived('one'),
  delivered('one'),
  { type: 'recorded', message: asks('a', 'b') },
  arrived('two'),
  { type: 'answered', message: result('b'), revealed: ['tool_1/1/ended'] },
  { type: 'answered', message: result('a'), revealed: [] },
  { type: 'recorded', message: { role: 'assistant', text: 'done', toolCalls: [] } },
  { type: 'rested' },
  delivered('two'),
  { type: 'recorded', message: asks('c') },
  { type: 'answered', message: result('c'), revealed: [] },
];

function open(entries: readonly unknown[]) {
  const lines = entries.map((entry) => JSON.stringify(entry));
  const failures: string[] = [];
  const memory = createMemory({
    journal: createMemoryJournal(lines),
    clock: createVirtualClock(),
    onFailure: (error) => failures.push(error),
    onRecovery: () => {},
  });
  return { memory, lines, failures };
}

test.for(journal.map((_, length) => length + 1))('the first %i entries are a valid memory', (length) => {
  const { memory } = open(journal.slice(0, length));

  const said = memory.transcript.flatMap((message) => (message.role === 'user' ? [message.text] : []));
  expect(findTranscriptFaults(memory.transcript)).toEqual([]);
  expect([...said, ...memory.mailbox.state.waiting.keys()]).toEqual(
    ['one', 'two'].slice(0, length < 2 ? 0 : length < 5 ? 1 : 2),
  );
  expect(memory.isUnfinished).toBe((length >= 3 && length < 8) || length >= 10);
});

test('entries that cannot be read leave a valid memory', () => {
  fc.assert(
    fc.property(fc.subarray([...journal]), (kept) => {
      const { memory } = open(kept);

      memory.record({ role: 'user', text: 'and now?' });

      const faults = findTranscriptFaults(memory.transcript).filter(
        (fault) => !fault.includes('another one'),
      );
      expect(faults).toEqual([]);
    }),
  );
});

test('entries of another version are passed over', () => {
  const strange = [
    null,
    7,
    { type: 'unheard-of' },
    { type: 'recorded', message: { role: 'assistant', text: 'no calls' } },
    { type: 'recorded', message: { role: 'tool', text: 'no call' } },
    { type: 'arrived', entry: { kind: 'notice', id: 'x' } },
    { type: 'delivered', ids: [7], messages: [] },
  ];

  const { memory } = open([...journal.slice(0, 3), ...strange]);

  expect(memory.transcript.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(memory.mailbox.state.waiting.size).toBe(0);
});

test('calls without a result are answered in doubt', () => {
  const { memory } = open(journal.slice(0, 6));

  const [first, second] = memory.transcript.slice(-2);
  expect(first).toMatchObject({ callId: 'a', text: expect.stringContaining('check before you repeat it') });
  expect(second).toEqual(result('b'));
});

test('an entry that was delivered or revealed never enters again', () => {
  const mailbox = createMailbox('a');
  mailbox.attach({ store: open(journal).memory.mailbox });

  const taken = ['one', 'two', 'tool_1/1/ended', 'three', 'three'].map((id) =>
    mailbox.add({ kind: 'message', id, attention: 'turn', text: id }),
  );

  expect(taken).toEqual([false, false, false, true, false]);
});

test('a memory continues without a journal that fails', () => {
  const failures: string[] = [];
  const memory = createMemory({
    journal: {
      read: () => [],
      append: () => {
        throw new Error('ENOSPC: no space left on device');
      },
      close: () => {},
    },
    clock: createVirtualClock(),
    onFailure: (error) => failures.push(error),
    onRecovery: () => {},
  });

  memory.record({ role: 'user', text: 'still there?' });

  expect(memory.transcript).toMatchObject([{ role: 'user', text: 'still there?' }]);
  expect(failures).toEqual(['ENOSPC: no space left on device']);
});

test('entries that failed on a full disk are written when there is room', () => {
  const clock = createVirtualClock();
  const written: unknown[] = [];
  const told: string[] = [];
  let isFull = true;
  const journal = {
    read: () => written,
    append: (entry: unknown) => {
      if (isFull) throw new Error('ENOSPC: no space left on device');
      written.push(JSON.parse(JSON.stringify(entry)));
    },
    close: () => {},
  };
  const openMemory = () =>
    createMemory({
      ...{ journal, clock },
      onFailure: (error) => told.push(error),
      onRecovery: () => told.push('recovered'),
    });
  const memory = openMemory();
  memory.record({ role: 'user', text: 'one' });
  memory.record({ role: 'user', text: 'two' });

  isFull = false;
  clock.advance(5_000);
  memory.record({ role: 'user', text: 'three' });

  expect(openMemory().transcript).toEqual(memory.transcript);
  expect(memory.transcript).toHaveLength(3);
  expect(told).toEqual(['ENOSPC: no space left on device', 'recovered']);
});
