import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callOf, openModelServer } from '../support/model-server.ts';

const example = join(import.meta.dirname, 'example.ts');
const program = join(import.meta.dirname, 'program.ts');
const NAME = 'mcp__troupe__';

test('the example tells a background end once, at the next step, and keeps it for the next query', async () => {
  await using server = await openModelServer();
  const build = callOf(`${NAME}start_process`, { command: 'sleep 1; exit 3', label: 'build' });
  const work = callOf(`${NAME}run_command`, { command: 'sleep 3; echo tested' });
  server.replyIf({ results: 0, notices: 0 }, build);
  server.replyIf({ results: 1, notices: 0 }, work);
  server.replyIf({ results: 2, notices: 1, said: 'And?' }, { content: 'As I said.' });
  server.replyIf({ results: 2, notices: 1 }, { content: 'The build failed.' });

  const { stdout, stderr } = await server.run(example, 'Build.', 'And?');

  expect(stderr).toBe('');
  expect(stdout).toBe('The build failed.\nAs I said.');
  expect(server.seen.slice(0, 2)).toEqual([
    [0, 0],
    [1, 0],
  ]);
  // The SDK may send a request again.
  expect(new Set(server.seen.slice(2).map(String))).toEqual(new Set(['2,1']));
});

test('an end between two queries is told at the beginning of the second', async () => {
  await using server = await openModelServer();
  server.replyIf({ results: 0 }, callOf(`${NAME}start_process`, { command: 'sleep 1', label: 'build' }));
  server.replyIf({ results: 1, notices: 0 }, { content: 'It runs.' });
  server.replyIf({ results: 1, notices: 1 }, { content: 'It is built.' });

  const { stdout } = await server.run(program, 'between');

  expect(stdout).toBe('It runs.\nIt is built.');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 0, 1]);
});

test('a query continues whose process ends during the last reply', async () => {
  await using server = await openModelServer();
  server.replyIf({ results: 0 }, callOf(`${NAME}start_process`, { command: 'sleep 0.3', label: 'build' }));
  // Longer than the process takes.
  server.replyIf({ results: 1, notices: 0 }, async () => {
    await setTimeout(1_500);
    return { content: 'It runs.' };
  });
  server.replyIf({ results: 1, notices: 1 }, { content: 'It is built.' });

  const { stdout } = await server.run(program, 'report');

  expect(stdout).toBe('It is built.');
  expect(server.seen.at(-1)).toEqual([1, 1]);
});

test('a query with partial messages tells a background end once', async () => {
  await using server = await openModelServer();
  server.replyIf({ results: 0 }, callOf(`${NAME}start_process`, { command: 'exit 3', label: 'build' }));
  server.replyIf({ results: 1 }, callOf(`${NAME}run_command`, { command: 'sleep 0.5' }));
  server.replyIf({ results: 2 }, { content: 'The build failed.' });

  const { stdout } = await server.run(program, 'stream');

  expect(stdout).toBe('The build failed.');
  expect(server.seen.at(-1)).toEqual([2, 1]);
});

test('an end that an answer shows is not told again', async () => {
  await using server = await openModelServer();
  server.replyIf({ results: 0 }, callOf(`${NAME}run_command`, { command: 'exit 3' }));
  server.replyIf({ results: 1 }, { content: 'It failed.' });

  const { stdout } = await server.run(program, 'report');
  const peeked = await server.run(program, 'peek');

  expect(stdout).toBe('It failed.');
  expect(peeked.stdout).toBe('null');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 0]);
});

test('a notice comes again after a crash before the model has seen it, and once only', async () => {
  await using server = await openModelServer();
  server.replyIf(
    { results: 0, notices: 0 },
    callOf(`${NAME}start_process`, { command: 'true', label: 'build' }),
  );
  server.replyIf({ results: 1, notices: 0 }, callOf(`${NAME}run_command`, { command: 'sleep 0.5' }));
  server.replyIf({ results: 0, notices: 1 }, { content: 'It is built.' });

  const crashed = await server.run(program, 'die');
  const second = await server.run(program, 'report');
  const third = await server.run(program, 'peek');

  expect(crashed.signal).toBe('SIGKILL');
  expect(second.stdout).toBe('It is built.');
  expect(third.stdout).toBe('null');
  expect(server.seen.map(([, notices]) => notices)).toEqual([0, 0, 1]);
});

test.for([
  ['approve', 'Done.', true],
  ['deny', 'Not done.', false],
] as const)('an undecided start asks canUseTool: %s', async ([situation, reply, isDone]) => {
  await using server = await openModelServer();
  server.replyIf({ results: 0 }, callOf(`${NAME}run_command`, { command: 'echo built > built.txt' }));
  server.replyIf({ results: 1 }, { content: reply });

  const { stdout } = await server.run(program, situation);

  expect(stdout).toBe(`${NAME}run_command true false\n${reply}\n${isDone}`);
});

test('aborting a query leaves its command in the background', async () => {
  await using server = await openModelServer();
  server.replyIf({ results: 0 }, callOf(`${NAME}run_command`, { command: 'sleep 60' }));

  const { stdout } = await server.run(program, 'abort');

  expect(stdout).toMatch(/: backgrounded$/);
});
