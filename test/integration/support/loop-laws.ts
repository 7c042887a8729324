import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callOf, openModelServer } from './model-server.ts';

/** Laws that hold for the loop of every framework whose messages are counted one by one. Each adds a test to the file that calls it. */

/** `example` is run with what a person says, one argument a run. `checksErrors: false` for a framework that prints warnings. */
export function testNextStep({
  example,
  checksErrors = true,
}: {
  readonly example: string;
  readonly checksErrors?: boolean;
}): void {
  test('the example tells a background end once, at the next step, and keeps it for the next run', async () => {
    await using server = await openModelServer();
    const build = callOf('start_process', { command: 'sleep 0.3; exit 3', label: 'build' });
    server.reply({ results: 0, users: 1 }, build);
    server.reply({ results: 1, users: 1 }, callOf('run_command', { command: 'sleep 1; echo tested' }));
    server.reply({ results: 2, users: 2 }, { content: 'The build failed.' });
    server.reply({ results: 2, users: 3 }, { content: 'As I said.' });

    const { stdout, stderr } = await server.run(example, 'Build.', 'And?');

    if (checksErrors) expect(stderr).toBe('');
    expect(stdout).toBe('The build failed.\nAs I said.');
    expect(server.seen).toEqual([
      [0, 0],
      [1, 0],
      [2, 1],
      [2, 1],
    ]);
  });
}

/** `program` is run as `program between`: it says something, waits until a notice is due, and says something again. */
export function testNextRun({
  program,
  command,
}: {
  readonly program: string;
  /** Ends between the two runs. */
  readonly command: string;
}): void {
  test('an end between two runs is told at the beginning of the second', async () => {
    await using server = await openModelServer();
    server.reply({ results: 0, users: 1 }, callOf('start_process', { command, label: 'build' }));
    server.reply({ results: 1, users: 1 }, { content: 'It runs.' });
    server.reply({ results: 1, users: 3 }, { content: 'It is built.' });

    const { stdout } = await server.run(program, 'between');

    expect(stdout).toBe('It runs.\nIt is built.');
    expect(server.seen).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
    ]);
  });
}

/** For frameworks whose run can continue after a last reply. */
export function testLastReply({
  program,
  args,
  printed,
}: {
  readonly program: string;
  readonly args: readonly string[];
  readonly printed: string;
}): void {
  test('a run continues when its process ends during the last reply', async () => {
    await using server = await openModelServer();
    server.reply({ results: 0, users: 1 }, callOf('start_process', { command: 'sleep 0.3', label: 'build' }));
    server.reply({ results: 1, users: 1 }, async () => {
      // The process ends earlier.
      await setTimeout(1_500);
      return { content: 'It runs.' };
    });
    server.reply({ results: 1, users: 2 }, { content: 'It is built.' });

    const { stdout } = await server.run(program, ...args);

    expect(stdout).toBe(printed);
    expect(server.seen.at(-1)).toEqual([1, 1]);
  });
}

/** `program` is run as `program report` and `program peek`, which prints what the host would still tell. */
export function testShownEnd({ program }: { readonly program: string }): void {
  test('an end that an answer shows is not told again', async () => {
    await using server = await openModelServer();
    server.reply({ results: 0, users: 1 }, callOf('run_command', { command: 'sleep 0.3; exit 3' }));
    server.reply({ results: 1, users: 1 }, { content: 'It failed.' });

    const { stdout } = await server.run(program, 'report');
    const peeked = await server.run(program, 'peek');

    expect(stdout).toBe('It failed.');
    expect(peeked.stdout).toBe('null');
    expect(server.seen.map(([, notices]) => notices)).toEqual([0, 0]);
  });
}

/** `program` is run as `program abort`: it aborts a run whose command is running. */
export function testAbort({
  program,
  how = '\\w+',
}: {
  readonly program: string;
  /** Class of the error of an aborted run, or `done`. Default: either, for a framework that may be faster. */
  readonly how?: string;
}): void {
  test('aborting a run leaves its command in the background', async () => {
    await using server = await openModelServer();
    server.reply({ results: 0, users: 1 }, callOf('run_command', { command: 'sleep 60' }));

    const { stdout } = await server.run(program, 'abort');

    expect(stdout).toMatch(new RegExp(`^${how}: backgrounded$`));
  });
}
