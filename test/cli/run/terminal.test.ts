import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mainFile, projectDir } from '../program.ts';
import { ensureTmux, openTerminal } from '../tmux.ts';

const open = (project: ReturnType<typeof projectDir>, line: string) =>
  openTerminal({
    command: `TROUPE_LINEAGE='${project.env.TROUPE_LINEAGE}' '${process.execPath}' '${mainFile}' ${line}`,
    cwd: project.path,
    columns: 80,
  });

describe.skipIf(!ensureTmux())('in a real terminal', { timeout: 90_000 }, () => {
  test('Ctrl-C reaches a piped command, and a second one kills it', async () => {
    await using project = projectDir();
    const script = 'trap : INT; echo up; while :; do sleep 1; done';
    await using terminal = await open(project, `run -c '${script}' < /dev/null`);
    await terminal.shows(/^up$/m);

    await terminal.press('C-c');
    await terminal.shows('SIGINT forwarded; press Ctrl-C again to kill it at once');
    await terminal.press('C-c');

    await terminal.shows('exit code 137');
    await project.gone();
  });

  test('Ctrl-C sends SIGINT and sets the exit code', async () => {
    await using project = projectDir();
    const script = 'trap "echo told INT; trap - INT; kill -INT $$" INT; echo up; while :; do sleep 1; done';
    await using terminal = await open(project, `run -- sh -c '${script}'`);
    await terminal.shows(/^up$/m);

    await terminal.press('C-c');

    const screen = await terminal.shows(/exit code \d+$/);
    // A command that takes a second for its end has a word about that between.
    expect(screen.replace(/^troupe: SIGINT forwarded.*\n/m, '')).toMatch(/told INT\nexit code 130$/);
    await project.gone();
  });

  test('a command at a terminal gets one of equal size', async () => {
    await using project = projectDir();
    // A signal announces the size, so the line that is typed after it may arrive first.
    const untilResized = 'until [ "$(stty size)" = "50 90" ]; do sleep 0.05; done';
    await using terminal = await open(
      project,
      `run -c 'tty -s && stty size; read line; echo "got $line"; ${untilResized}; stty size'`,
    );
    await terminal.shows('50 80');

    await terminal.resize(90);
    await terminal.enter('a word');

    await terminal.shows(/got a word\n50 90\nexit code 0/);
    await project.gone();
  });

  test('Ctrl-Z suspends command and run, and fg resumes both', async () => {
    await using project = projectDir();
    await using terminal = await openTerminal({
      command: `TROUPE_LINEAGE='${project.env.TROUPE_LINEAGE}' PS1='shell> ' bash --norc --noprofile -i`,
      cwd: project.path,
      columns: 80,
    });
    await terminal.enter(`'${process.execPath}' '${mainFile}' run -c 'echo "$((40 + 2)) up"; cat'`);
    await terminal.shows('42 up');

    await terminal.press('C-z');
    await terminal.shows('Stopped');
    await terminal.enter('fg');
    await terminal.enter('typed');
    await terminal.shows(/typed\n+typed/);
    await terminal.press('C-d');
    await terminal.shows(/typed\n+shell>$/);
    await terminal.enter('exit 7');

    await terminal.shows('exit code 7');
    await project.gone();
  });

  test('Ctrl-Z does nothing without a waiting shell', async () => {
    await using project = projectDir();
    await using terminal = await open(project, `run -c 'echo "$((40 + 2)) up"; cat'`);
    await terminal.shows('42 up');

    await terminal.press('C-z');
    await terminal.enter('typed');

    await terminal.shows(/typed\n+typed/);
    await terminal.press('C-d');
    await terminal.shows('exit code 0');
    await project.gone();
  });

  test('run --stdin forwards typed input to a piped command', async () => {
    await using project = projectDir();
    await using asked = await open(project, `run -i -c 'echo ready; cat'`);

    await asked.shows(/^ready$/m);
    await asked.enter('typed');

    // Once as it was typed, once as it came back.
    await asked.shows(/typed\n+typed/);
    await asked.press('C-d');
    await asked.shows('exit code 0');
  });

  test('up shows what it waits for and colours names', async () => {
    await using project = projectDir();
    const held = 'until test -e go; do sleep 0.1; done';
    const processes = {
      db: { command: `${held}; echo listening; exec sleep 100`, ready: { line: 'listening' } },
      web: { command: 'echo web; exec sleep 100', depends_on: 'db' },
    };
    writeFileSync(project.file('troupe.yaml'), JSON.stringify({ processes }));
    await using terminal = await open(project, 'up');

    await terminal.shows('waiting for db, web');
    writeFileSync(project.file('go'), '');
    await terminal.shows('all 2 are ready');
    const screen = await terminal.shows(/^web │ web$/m);

    expect(screen).not.toContain('waiting for');
    expect(await terminal.colours()).toMatch(/\x1b\[36mdb {2}│/);
    await terminal.press('C-c');
    await terminal.shows('exit code 130');
    await project.gone();
  });
});
