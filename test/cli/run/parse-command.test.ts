import { expect, test } from 'vitest';
import {
  checkReplace,
  parseCommand,
  parseVariables,
  resolveDirectory,
  suggestShell,
} from '../../../src/cli/verbs/run/parse-command.ts';
import { reportEnd } from '../../../src/cli/verbs/run/run-request.ts';
import { endedView } from '../../support/views.ts';
import { fakeIo } from '../fake-io.ts';

const refusal = (message: string) => expect.objectContaining({ code: 'invalid-option', message });

test.each([[[]], [['']], [[' ']]])('a command of the words %j is refused', (words) => {
  for (const isShell of [true, false])
    expect(() => parseCommand({ words, isShell })).toThrow(
      refusal('the command is empty; expected a program.'),
    );
});

test('words are a program and its arguments', () => {
  expect(parseCommand({ words: ['ls', '-l', ''], isShell: false })).toEqual(['ls', '-l', '']);
});

test('a script for the shell is one word', () => {
  expect(parseCommand({ words: ['a | b'], isShell: true })).toBe('a | b');
  expect(() => parseCommand({ words: ['a', 'b'], isShell: true })).toThrow(
    refusal('--shell takes one text, and 2 words were given: put the command in quotes.'),
  );
});

test.each([
  [['ls -l'], false, ['To run it in the shell: --shell -- "ls -l"']],
  [['ls -l'], true, []],
  [['ls -l', 'x'], false, []],
  [['ls'], false, []],
  [[], false, []],
])('for the words %j (shell: %s) is suggested %j', (words, isShell, suggested) => {
  expect(suggestShell({ words, isShell })).toEqual(suggested);
});

test('variables are split at the first equals sign, and the last one wins', () => {
  expect(parseVariables(['A=1', 'B=x=y', 'C=', 'A=2'])).toEqual({ A: '2', B: 'x=y', C: '' });
});

test.each(['A', '=1', ''])('the variable %j is refused', (text) => {
  expect(() => parseVariables(['A=1', text])).toThrow(refusal(`--env is "${text}"; expected NAME=value.`));
});

test('a directory is relative to the current one', () => {
  const places = [undefined, 'b', '/b'].map((directory) => resolveDirectory(directory, { cwd: '/a' }));

  expect(places).toEqual(['/a', '/a/b', '/b']);
});

test('--replace needs --name', () => {
  expect(() => checkReplace({ replace: true })).toThrow(
    refusal('--replace needs --name: it ends the process that has the name.'),
  );
  for (const flags of [{}, { replace: false }, { replace: true, name: 'web' }])
    expect(() => checkReplace(flags)).not.toThrow();
});

const failed = { type: 'spawnFailed', cause: 'missing-program', code: null, message: 'There is no "ls -l".' };

test.each([
  [{}, ''],
  [{ reason: failed }, 'troupe: There is no "ls -l".\n  To run it in the shell: --shell -- "ls -l"\n'],
  [
    { reason: { type: 'timed_out', limit: 'maxExecutionTime', afterMs: 2_000 } },
    'troupe: tool_example1 was killed at its limit maxExecutionTime of 2s.\n',
  ],
  [{ reason: { type: 'lost', why: 'x' } }, expect.stringMatching(/^troupe: tool_example1 .*\.\n$/)],
  [{ suspects: [{ pid: 7, command: 'sleep' }] }, expect.stringMatching(/^troupe: .*7.*sleep/)],
])('the end %j of a run is reported', (own, printed) => {
  const { io, stderr } = fakeIo();

  reportEnd(endedView(own as never), { words: ['ls -l'], isShell: false, io });

  expect(stderr()).toEqual(printed);
});
