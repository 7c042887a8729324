import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createConversationReader } from '../../src/live/saved-conversations.ts';
import { createFileJournal } from '../../src/store/file-journal.ts';
import { tempDir } from '../support/os.ts';

const said = { at: 5, type: 'delivered', ids: ['m1'], messages: [{ role: 'user', text: 'hello' }] };
const asks = {
  at: 6,
  type: 'recorded',
  message: { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', argumentsText: '{}' }] },
};
const answers = { at: 7, type: 'recorded', message: { role: 'assistant', text: 'hi', toolCalls: [] } };

function arrange() {
  const place = tempDir();
  onTestFinished(() => place.remove());
  const open = (id: string, entries: readonly object[]) => {
    const journal = createFileJournal(place.file(`${id}.jsonl`));
    for (const entry of entries) journal.append(entry as never);
    return journal;
  };
  return { ...place, open, reader: createConversationReader(place.path) };
}

test.for([
  ['idle', [said, answers], 'idle'],
  ['thinking', [said], 'thinking'],
  ['acting', [said, asks], 'acting'],
] as const)(
  'a conversation that is %s is shown so while it is open, and done afterwards',
  ([, entries, status]) => {
    const { open, reader } = arrange();
    const journal = open('chat', entries);

    const before = reader.read();
    journal.close();

    expect(before.conversations['chat']).toMatchObject({ id: 'chat', status, writing: '', inbox: [] });
    expect(reader.read().conversations['chat']?.status).toBe('done');
  },
);

test('a journal that has not changed is the same object', () => {
  const { open, reader } = arrange();
  const journal = open('chat', [said]);
  const first = reader.read().conversations['chat'];

  expect(reader.read().conversations['chat']).toBe(first);
  journal.append(answers as never);
  const next = reader.read().conversations['chat'];

  expect(next?.transcript).toHaveLength(2);
  expect(next?.transcript[0]).toBe(first?.transcript[0]);
  journal.close();
});

test('a folder that does not exist has no conversations', () => {
  expect(createConversationReader('/nowhere/at/all').read()).toEqual({ conversations: {}, warnings: [] });
});

test('a journal that cannot be read is named, and other files are not', () => {
  const { open, reader, file } = arrange();
  open('chat', [said]).close();
  mkdirSync(file('broken.jsonl'));
  writeFileSync(file('notes.txt'), '');

  const { conversations, warnings } = reader.read();

  expect(Object.keys(conversations)).toEqual(['chat']);
  expect(warnings).toEqual([expect.stringMatching(/^The conversation broken could not be read: EISDIR/)]);
});
