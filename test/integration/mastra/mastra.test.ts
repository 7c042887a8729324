import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAbort, testNextRun, testNextStep, testShownEnd } from '../support/loop-laws.ts';
import { callOf, openModelServer } from '../support/model-server.ts';

const example = join(import.meta.dirname, 'example.ts');
const program = join(import.meta.dirname, 'program.ts');

testNextStep({ example, checksErrors: false });
testNextRun({ program, command: 'true' });
testShownEnd({ program });
testAbort({ program, how: 'done' });

test('a notice comes again after a crash before the model has seen it, and once only', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'true', label: 'build' }));
  server.reply({ results: 0, users: 2 }, { content: 'It is built.' });

  const crashed = await server.run(program, 'die');
  const second = await server.run(program, 'report');
  const third = await server.run(program, 'peek');

  expect(crashed.signal).toBe('SIGKILL');
  expect(second.stdout).toBe('It is built.');
  expect(third.stdout).toBe('null');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 1]);
});

test('a suspended run asks the person, and resuming with consent makes the call', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('run_command', { command: 'echo built > built.txt' }));
  server.reply({ results: 1, users: 1 }, { content: 'Done.' });

  const { stdout } = await server.run(program, 'approve');

  expect(stdout).toBe('suspended before: false\nDone. after: true');
});
