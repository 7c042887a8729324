import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';
import { mainFile } from '../program.ts';
import { ensureTmux, openTerminal } from '../tmux.ts';

const command = `printf 'name? '; read name; echo "moin $name"; exit 7`;

/** A person's terminal in which `troupe` is run. */
function sit(project: ReturnType<typeof daemonProject>, line: string) {
  return openTerminal({
    command: `TROUPE_TEST_MARK='${project.env.TROUPE_TEST_MARK}' '${process.execPath}' '${mainFile}' ${line}`,
    cwd: project.path,
    columns: 90,
    rows: 20,
  });
}

test('start --interactive reports which terminal it got', async () => {
  await using project = daemonProject();

  const ran = await project.troupe(
    ...['start', '--session', '--interactive', '--size', '90x20', '--name', 'it', '-c', command],
  );
  const screen = await project.call('wait', '--text', 'name?', 'it');
  const shown = await project.call('screen', '--json', 'it');
  const typed = await project.call('keys', 'it', '--text', 'Ada', '--enter');
  const ended = await project.call('wait', 'it');
  const last = await project.call('screen', 'it');

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^service_\w{8}\n$/) });
  expect(ran.stderr).toMatch(/^troupe: A terminal of (tmux|pty): .*\. Attach: troupe attach service_\w+\n$/);
  expect(screen.code).toBe(0);
  expect(JSON.parse(shown.stdout)).toMatchObject({ columns: 90, rows: 20 });
  expect([typed.code, ended.code]).toEqual([0, 7]);
  expect(last.stdout).toBe('name? Ada\nmoin Ada\n');
});

describe.skipIf(!ensureTmux())('in a real terminal', { timeout: 60_000 }, () => {
  test('run --interactive behaves as if run locally', async () => {
    await using project = daemonProject();
    await using person = await sit(project, `run --interactive -c '${command.replaceAll("'", `'\\''`)}'`);

    await person.shows('name?');
    await person.enter('Ada');

    expect(await person.shows('exit code 7')).toContain('moin Ada');
    expect(await project.processes()).toEqual([]);
  });

  test('run --interactive leaves the command running on detach', async () => {
    await using project = daemonProject();
    await using person = await sit(project, `run --interactive --name it -c 'echo up; exec sleep 1000'`);
    await person.shows(/^up$/m);

    const [it] = await project.processes();
    const { view } = JSON.parse((await project.call('show', '--json', 'it')).stdout);
    if (view.mode === 'tmux') await person.press('C-b', 'd');
    else await person.press('C-]');
    await person.shows('exit code 0');

    expect(await project.processes()).toMatchObject([{ id: it?.id, label: 'it' }]);
  });

  test('run --interactive ends when the terminal is closed', async () => {
    await using project = daemonProject();
    await using person = await sit(project, `run --interactive -c 'echo up; exec sleep 1000'`);
    await person.shows(/^up$/m);

    await person.closeWindow();

    await waitUntil(async () => (await project.processes()).length === 0, { withinMs: 30_000 });
  });

  test('run --interactive prints the output of a short command', async () => {
    await using project = daemonProject();
    await using person = await sit(project, `run --interactive -c 'echo tea; exit 3'`);

    expect(await person.shows('exit code 3')).toContain('tea');
  });
});

test.each([
  ['without a terminal', ['--interactive', 'true'], 'stdin or stdout is not one'],
  ['with a time to wait', ['--interactive', '--timeout', '5s', 'true'], '--timeout cannot be combined'],
])('run --interactive %s is refused', async (_name, args, words) => {
  await using project = daemonProject();

  const ran = await project.call('run', ...args);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(words);
});
