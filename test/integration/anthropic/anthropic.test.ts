import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testAbort, testLastReply, testNextRun, testNextStep, testShownEnd } from '../support/loop-laws.ts';
import { callOf, openModelServer } from '../support/model-server.ts';

const example = join(import.meta.dirname, 'example.ts');
const program = join(import.meta.dirname, 'program.ts');

testNextStep({ example });
testNextRun({ program, command: 'sleep 0.5' });
testLastReply({ program, args: ['report'], printed: 'It runs.\nIt is built.' });
testShownEnd({ program });
testAbort({ program, how: 'APIUserAbortError' });

test('a streamed run tells a background end once, at the next step', async () => {
  await using server = await openModelServer();
  const build = callOf('start_process', { command: 'sleep 0.3; exit 3', label: 'build' });
  server.reply({ results: 0, users: 1 }, build);
  server.reply({ results: 1, users: 1 }, callOf('run_command', { command: 'sleep 1; echo tested' }));
  server.reply({ results: 2, users: 2 }, { content: 'The build failed.' });

  const { stdout } = await server.run(program, 'stream');

  expect(stdout).toBe('The build failed.');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 0, 1]);
});

test('a notice comes again after a crash before the reply to it, and once only', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'true', label: 'build' }));
  server.reply({ results: 1, users: 1 }, callOf('run_command', { command: 'sleep 0.5' }));
  // Long enough for the program to die before it has the reply.
  server.reply({ results: 2, users: 2 }, async () => {
    await setTimeout(3_000);
    return { content: 'Never read.' };
  });
  server.reply({ results: 0, users: 2 }, { content: 'It is built.' });

  const crashed = await server.run(program, 'die');
  const second = await server.run(program, 'report');
  const third = await server.run(program, 'peek');

  expect(crashed.signal).toBe('SIGKILL');
  expect(second.stdout).toBe('It is built.');
  expect(third.stdout).toBe('null');
});

test('a notice among saved messages is not told again after a crash', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'true', label: 'build' }));
  server.reply({ results: 1, users: 1 }, callOf('wait', {}));
  server.reply({ results: 2, users: 2 }, { content: 'Never printed.' });
  server.reply({ results: 2, users: 3 }, { content: 'It is built.' });

  const crashed = await server.run(program, 'save-and-die');
  const { stdout } = await server.run(program, 'resume');
  const peeked = await server.run(program, 'peek');

  expect(crashed.signal).toBe('SIGKILL');
  expect(stdout).toBe('It is built.');
  expect(server.seen.at(-1)).toEqual([2, 1]);
  expect(peeked.stdout).toBe('null');
});

test('leaving the loop at a reply confirms the notice that it answers', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'true', label: 'build' }));
  server.reply({ results: 1, users: 1 }, callOf('run_command', { command: 'sleep 0.5' }));
  server.reply({ results: 2, users: 2 }, { content: 'It is built.' });

  const { stdout } = await server.run(program, 'break');

  expect(stdout).toBe('It is built.\nnull');
});

test('the host asks the person what the policy does not decide', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('run_command', { command: 'echo built > built.txt' }));
  server.reply({ results: 1, users: 1 }, { content: 'Done.' });

  const { stdout } = await server.run(program, 'ask');

  expect(stdout).toBe('asked: true, before: false\nDone.\nafter: true');
});
