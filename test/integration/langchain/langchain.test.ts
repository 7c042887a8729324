import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAbort, testNextRun, testNextStep, testShownEnd } from '../support/loop-laws.ts';
import { callOf, openModelServer } from '../support/model-server.ts';

const example = join(import.meta.dirname, 'example.ts');
const program = join(import.meta.dirname, 'program.ts');

testNextStep({ example });
testNextRun({ program, command: 'true' });
testShownEnd({ program });
testAbort({ program, how: 'DOMException' });

test('a run resumed from a checkpoint after a crash has the notice once', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'true', label: 'build' }));
  server.reply({ results: 1, users: 2 }, { content: 'It is built.' });
  server.reply({ results: 1, users: 3 }, { content: 'As I said.' });

  const crashed = await server.run(program, 'crash');
  const { stdout } = await server.run(program, 'resume');

  expect(crashed.signal).toBe('SIGKILL');
  expect(stdout).toBe('It is built.\nAs I said.');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 1, 1]);
});

test('an interrupt asks the person, and resuming with consent makes the call', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('run_command', { command: 'echo built > built.txt' }));
  server.reply({ results: 1, users: 1 }, { content: 'Done.' });

  const { stdout } = await server.run(program, 'approve');

  expect(stdout).toMatch(/^run_command .*\nbefore: false\nDone\.\nafter: true$/);
});
