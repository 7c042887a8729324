import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callOf, openModelServer } from '../support/model-server.ts';

const example = join(import.meta.dirname, 'example.ts');
const crash = join(import.meta.dirname, 'crash.ts');

test('the example tells a background end once, at the next step, and keeps it for the next run', async () => {
  await using server = await openModelServer();
  const build = callOf('start_process', { command: 'sleep 0.3; exit 3', label: 'build' });
  server.reply({ results: 0, users: 1 }, build);
  server.reply({ results: 1, users: 1 }, callOf('run_command', { command: 'sleep 1; echo tested' }));
  server.reply({ results: 2, users: 2 }, { content: 'The build failed.' });
  server.reply({ results: 2, users: 3 }, { content: 'As I said.' });

  const { stdout, stderr } = await server.run(example, 'Build.', 'And?');

  expect(stderr).toBe('');
  expect(stdout).toBe('The build failed.\nAs I said.');
  expect(server.seen).toEqual([
    [0, 0],
    [1, 0],
    [2, 1],
    [2, 1],
  ]);
});

test('the example continues a run whose process ends during the last reply', async () => {
  await using server = await openModelServer();
  server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'sleep 0.3', label: 'build' }));
  // Longer than the process takes.
  server.reply({ results: 1, users: 1 }, async () => {
    await setTimeout(1_500);
    return { content: 'It runs.' };
  });
  server.reply({ results: 1, users: 2 }, { content: 'It is built.' });

  const { stdout } = await server.run(example, 'Build.');

  expect(stdout).toBe('It is built.');
  expect(server.seen.at(-1)).toEqual([1, 1]);
});

test('a notice comes again after a crash before its delivery, and once only', async () => {
  await using server = await openModelServer();

  const crashed = await server.run(crash, 'die');
  const [second, third] = [await server.run(crash, 'report'), await server.run(crash, 'report')];

  expect(crashed.signal).toBe('SIGKILL');
  expect(second.stdout.match(/<process_notice|label=\\"build\\"/g)).toHaveLength(2);
  expect(third.stdout).toBe('[]');
});
