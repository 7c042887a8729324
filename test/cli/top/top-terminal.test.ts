import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/os.ts';
import { mainFile, projectDir } from '../program.ts';
import { ensureTmux, openTerminal } from '../tmux.ts';

const ALTERNATE_SCREEN = '\x1b[?1049h';

async function openTop() {
  const project = projectDir();
  // `exec` keeps the pid that the file names.
  const program = `TROUPE_LINEAGE=${project.env.TROUPE_LINEAGE} exec ${process.execPath} ${mainFile} top`;
  const terminal = await openTerminal({
    command: `sh -c 'echo $$ > pid; ${program}'`,
    cwd: project.path,
    columns: 80,
  });
  const top = {
    ...terminal,
    project,
    readPid: () => Number(readFileSync(project.file('pid'), 'utf8')),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
  await waitUntil(async () => (await top.modes()).endsWith('0 1')).catch(async (error) => {
    await top[Symbol.asyncDispose]();
    throw error;
  });
  return top;
}

describe.skipIf(!ensureTmux())('top in a real terminal', () => {
  test('takes the screen again when continued', async () => {
    await using top = await openTop();
    const record = top.project.file('record');
    await top.record(record);
    process.kill(top.readPid(), 'SIGSTOP');

    process.kill(top.readPid(), 'SIGCONT');

    await waitUntil(() => existsSync(record) && readFileSync(record, 'utf8').includes(ALTERNATE_SCREEN));
  });

  test('restores the terminal when it quits', async () => {
    await using top = await openTop();

    await top.type('q');
    await top.shows('exit code 0');

    expect(await top.modes()).toBe('0 0 1 0');
  });
});
