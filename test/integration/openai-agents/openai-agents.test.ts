import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testAbort, testNextRun, testNextStep, testShownEnd } from '../support/loop-laws.ts';
import { callOf, openModelServer } from '../support/model-server.ts';

const example = join(import.meta.dirname, 'example.ts');
const program = join(import.meta.dirname, 'program.ts');

testNextStep({ example });
testNextRun({ program, command: 'sleep 0.5' });
testShownEnd({ program });
testAbort({ program });

test('a tool of the user leaves room for a notice too', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'sleep 0.3', label: 'build' }));
  server.reply({ results: 1, users: 1 }, callOf('wait', {}));
  server.reply({ results: 2, users: 2 }, { content: 'It is built.' });

  const { stdout } = await server.run(program, 'report');

  expect(stdout).toBe('It is built.');
});

test('two calls of one step leave one notice', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'sleep 0.3', label: 'build' }));
  const waiting = { name: 'wait', arguments: '{}' };
  const testing = { name: 'run_command', arguments: '{ "command": "sleep 1; echo tested" }' };
  server.reply({ results: 1, users: 1 }, { toolCalls: [waiting, testing] });
  server.reply({ results: 3, users: 2 }, { content: 'It is built.' });

  const { stdout } = await server.run(program, 'report');

  expect(stdout).toBe('It is built.');
  expect(server.seen.at(-1)).toEqual([3, 1]);
});

test('a streamed run tells a background end at the next step', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'sleep 0.3', label: 'build' }));
  server.reply({ results: 1, users: 1 }, callOf('wait', {}));
  server.reply({ results: 2, users: 2 }, { content: 'It is built.' });

  const { stdout } = await server.run(program, 'stream');

  expect(stdout.split('\n').at(-1)).toBe('It is built. null');
  expect(stdout.match(/tool_output/g)).toHaveLength(2);
});

test('a notice comes again after a crash before the model has seen it, and once only', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'sleep 0.3', label: 'build' }));
  server.reply({ results: 1, users: 1 }, callOf('wait', {}));
  // The session of the crashed run is empty: the SDK saves it when a run is over.
  server.reply({ results: 0, users: 2 }, { content: 'It is built.' });

  const crashed = await server.run(program, 'die-before');
  const second = await server.run(program, 'report');
  const third = await server.run(program, 'peek');

  expect(crashed.signal).toBe('SIGKILL');
  expect(second.stdout).toBe('It is built.');
  expect(third.stdout).toBe('null');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 0, 1]);
});

test('a notice that the session holds is not told again after a crash', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'sleep 0.3', label: 'build' }));
  server.reply({ results: 1, users: 1 }, callOf('wait', {}));
  server.reply({ results: 2, users: 2 }, { content: 'As it is.' });
  server.reply({ results: 2, users: 3 }, { content: 'As I said.' });

  const crashed = await server.run(program, 'die-after');
  const { stdout } = await server.run(program, 'report');

  expect(crashed.signal).toBe('SIGKILL');
  expect(stdout).toBe('As I said.');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 0, 1, 1]);
});

test('an interrupted run asks the person, and approving makes the call', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('run_command', { command: 'echo built > built.txt' }));
  server.reply({ results: 1, users: 1 }, { content: 'Done.' });

  const { stdout } = await server.run(program, 'approve');

  expect(stdout).toBe('asked for run_command, before: false\nDone. after: true');
});

test('a saved run that is resumed has what ended meanwhile once', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('run_command', { command: 'echo built > built.txt' }));
  server.reply({ results: 1, users: 2 }, { content: 'Not done.' });

  const { stdout } = await server.run(program, 'approve-later');

  expect(stdout).toBe('Not done. 1 null');
});
