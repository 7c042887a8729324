import { expect, test } from 'vitest';
import { parseCommand, suggestShell } from '../../../src/cli/verbs/run/parse-command.ts';

test.each([[[]], [['']], [[' ']]])('a command of the words %j is refused', (words) => {
  expect(() => parseCommand({ words, isShell: false })).toThrow('the command is empty');
});

test('a script for the shell is one word', () => {
  expect(parseCommand({ words: ['a | b'], isShell: true })).toBe('a | b');
  expect(() => parseCommand({ words: ['a', 'b'], isShell: true })).toThrow('2 words were given');
});

test('the shell is suggested for a text with blanks', () => {
  expect(suggestShell({ words: ['ls -l'], isShell: false })).toHaveLength(1);
  expect(suggestShell({ words: ['ls'], isShell: false })).toEqual([]);
  expect(suggestShell({ words: [], isShell: false })).toEqual([]);
});
