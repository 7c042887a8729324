import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import {
  findSavedConversation,
  toConversationFile,
} from '../../../src/cli/verbs/chat/saved-conversations.ts';
import { tempDir } from '../../support/os.ts';

/** Conversations of these ids, the first one used last. */
function keep(directory: string, ids: readonly string[]): void {
  for (const [age, id] of ids.entries()) {
    const file = toConversationFile(id, directory);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, 1_000_000 - age, 1_000_000 - age);
  }
}

const find = (directory: string, id: string | null, agent: string | null = null) =>
  findSavedConversation({ id, agent }, { directory, program: 'troupe' });

test('without an id the last one is meant', () => {
  using folder = tempDir();
  keep(folder.path, ['reviewer_22222222', 'assistant_33333333']);

  expect(find(folder.path, null)).toEqual({ id: 'reviewer_22222222', agent: 'reviewer' });
  expect(find(folder.path, null, 'assistant').id).toBe('assistant_33333333');
});

test.each([
  ['assistant_3', 'assistant_33333333'],
  ['33333333', 'assistant_33333333'],
  ['my-agent_2_44444444', 'my-agent_2_44444444'],
  ['conv', 'conv_55555555'],
])('%j finds %s', (id, expected) => {
  using folder = tempDir();
  keep(folder.path, ['assistant_22222222', 'assistant_33333333', 'my-agent_2_44444444', 'conv_55555555']);

  expect(find(folder.path, id).id).toBe(expected);
});

test("an agent's name means its last one", () => {
  using folder = tempDir();
  keep(folder.path, ['reviewer_22222222', 'assistant_33333333', 'assistant_44444444']);

  expect(find(folder.path, 'assistant').id).toBe('assistant_33333333');
});

test('a conversation of the library belongs to no agent', () => {
  using folder = tempDir();
  keep(folder.path, ['conv_55555555']);

  expect(find(folder.path, null)).toEqual({ id: 'conv_55555555', agent: null });
});

test.each([
  ['', null, 'There is no conversation to resume here'],
  ['assistant_22222222 assistant_23333333', 'assistant_2', 'fits several'],
  ['assistant_22222222', 'assistent_22222222', 'Did you mean assistant_22222222?'],
])('among %j there is no %j', (ids, id, error) => {
  using folder = tempDir();
  keep(
    folder.path,
    ids.split(' ').filter((each) => each !== ''),
  );

  expect(() => find(folder.path, id)).toThrow(
    expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(error) }),
  );
});
