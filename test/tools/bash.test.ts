import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ScriptedRun } from '../../src/testing/index.ts';
import { toolSets } from '../../src/tools/tool-sets.ts';
import { tempDir } from '../support/os.ts';
import { arrange, dataOf, errorOf, untilRuns } from './arrange.ts';

/** Ends a run like a shell that is in `directory` by then. */
function exitIn(run: ScriptedRun | undefined, directory: string) {
  const words = run?.request.work.type === 'argv' ? run.request.work.args.join(' ') : '';
  const [, file] = /(\/[^ ']*troupe-cwd-[^/]*\/cwd)/.exec(words) ?? [];
  if (run === undefined || file === undefined) throw new Error('the shell reports no directory');
  writeFileSync(file, `${directory}\n`);
  run.exit();
}

test('Bash answers with output, code and id', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.print('hello\n');
      run.exit({ code: 0 });
    },
  });

  const answer = await given.call('Bash', { command: 'echo hello', description: 'Say hello' });

  const [view] = given.supervisor.list();
  expect(dataOf(answer)).toEqual({ bash_id: view?.id, exit_code: 0, signal: null, output: 'hello\n' });
  expect(view).toMatchObject({ label: 'Say hello', commandLine: 'echo hello', tool: 'Bash' });
});

test('Bash refuses a timeout above ten minutes', async () => {
  await using given = arrange();

  const answer = await given.call('Bash', { command: 'x', timeout: 600_001 });

  expect(errorOf(answer)).toContain('600000');
  expect(given.backend.runs).toEqual([]);
});

test('Bash continues in the background after its timeout', async () => {
  await using given = arrange();

  const pending = await given.begin('Bash', { command: 'serve', timeout: 3_000 });
  await untilRuns(given, 1);
  given.clock.advance(3_000);
  const data = dataOf(await pending.answer);

  const [view] = given.supervisor.list();
  expect(data).toMatchObject({ bash_id: view?.id, status: 'running' });
  expect(data.message).toContain(`Command running in background with ID: ${view?.id}.`);
  expect(data.message).toContain('You will get a notice when it ends');
});

test('BashOutput loses the new lines that its filter leaves out', async () => {
  await using given = arrange();
  const { bash_id } = dataOf(await given.call('Bash', { command: 'serve', run_in_background: true }));
  given.backend.runs[0]?.print('info one\nerror two\n');

  const filtered = await given.call('BashOutput', { bash_id, filter: '^error' });
  filtered.onRecorded?.();
  given.backend.runs[0]?.print('info three\n');
  const rest = await given.call('BashOutput', { bash_id });

  expect(dataOf(filtered)).toMatchObject({ bash_id, status: 'running', output: 'error two\n' });
  expect(dataOf(rest)).toMatchObject({ output: 'info three\n' });
});

test('BashOutput names a filter that is no expression', async () => {
  await using given = arrange();
  const { bash_id } = dataOf(await given.call('Bash', { command: 'serve', run_in_background: true }));
  given.backend.runs[0]?.print('one\n');

  const answer = await given.call('BashOutput', { bash_id, filter: '(' });
  const read = await given.call('BashOutput', { bash_id });

  expect(errorOf(answer)).toContain('the pattern "(" is not a regular expression');
  expect(dataOf(read).output).toBe('one\n');
});

test('KillShell ends the command and its output stays', async () => {
  await using given = arrange();
  const { bash_id } = dataOf(await given.call('Bash', { command: 'serve', run_in_background: true }));
  given.backend.runs[0]?.print('up\n');

  const killed = await given.call('KillShell', { shell_id: bash_id });
  const read = await given.call('BashOutput', { bash_id });

  expect(dataOf(killed)).toMatchObject({ shell_id: bash_id, status: 'killed' });
  expect(dataOf(read)).toMatchObject({ status: 'killed', output: 'up\n' });
});

test('a command that ends elsewhere moves the next one there', async () => {
  await using given = arrange();
  using directory = tempDir();
  const { path } = directory;
  const first = await given.begin('Bash', { command: `cd ${path}` });
  await untilRuns(given, 1);
  exitIn(given.backend.runs[0], path);

  const moved = await first.answer;
  await given.call('Bash', { command: 'serve', run_in_background: true });

  expect(dataOf(moved).cwd).toBe(path);
  expect(given.backend.runs[1]?.request.cwd).toBe(path);
});

test('a killed command does not move the directory', async () => {
  await using given = arrange();
  using directory = tempDir();
  const { path } = directory;
  const first = await given.begin('Bash', { command: `cd ${path}; sleep 9` });
  await untilRuns(given, 1);
  const [view] = given.supervisor.list();
  await given.supervisor.get(view?.id ?? '')?.kill();

  await first.answer;
  await given.call('Bash', { command: 'serve', run_in_background: true });

  expect(given.backend.runs[1]?.request.cwd).toBe(given.supervisor.cwd);
});

test('a command beside it does not undo a change of directory', async () => {
  await using given = arrange();
  using directory = tempDir();
  const { path } = directory;
  const goes = await given.begin('Bash', { command: `cd ${path}` });
  await untilRuns(given, 1);
  const stays = await given.begin('Bash', { command: 'ls' });
  await untilRuns(given, 2);
  exitIn(given.backend.runs[0], path);
  await goes.answer;
  exitIn(given.backend.runs[1], given.supervisor.cwd);
  await stays.answer;

  await given.call('Bash', { command: 'serve', run_in_background: true });

  expect(given.backend.runs[2]?.request.cwd).toBe(path);
});

test('a description says how the end is told', async () => {
  await using given = arrange();

  const { tools } = given.host({ tools: toolSets.bash, notices: 'next-answer' });

  expect(tools.map(({ name }) => name)).toEqual(['Bash', 'BashOutput', 'KillShell']);
  expect(tools[0]?.description).toContain('The next answer of any of these tools reports its end.');
});
