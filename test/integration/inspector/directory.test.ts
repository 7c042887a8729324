import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createSupervisor } from 'troupe';
import { describe, expect, test } from 'vitest';
import { executablePath, useBrowser } from './browser.ts';
import { eventually, openStage } from './stage.ts';

const program = join(import.meta.dirname, 'node_modules/troupe/dist/src/cli/main.js');

describe.skipIf(executablePath === null)('troupe ui', () => {
  const browser = useBrowser();

  /** Serves the state directory in `cwd`. */
  const serveDirectory = async (cwd: string, flags: readonly string[] = []) => {
    const child = spawn(process.execPath, [program, 'ui', '--http', '127.0.0.1:0', ...flags], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { link: await readLine(child), [Symbol.asyncDispose]: () => end(child) };
  };
  const readLine = async (child: ChildProcessByStdio<null, Readable, null>): Promise<string> => {
    const [line] = await once(createInterface(child.stdout), 'line');
    return line;
  };
  const end = async (child: ChildProcessByStdio<null, Readable, null>) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };

  test('the page shows and ends a process of another program', async () => {
    await using stage = await openStage(browser(), { isRecorded: true });
    const command = 'echo ready to serve; sleep 300';
    const handle = stage.supervisor.start({ command, label: 'web', background: true });
    await using served = await serveDirectory(stage.directory);
    await using opened = await stage.open({ link: served.link });
    await opened.row('web').waitFor();
    await opened.page.getByText(`supervisor · pid ${process.pid}`).waitFor();
    await eventually(async () => expect(await opened.output()).toContain('ready to serve'));

    await opened.button('kill').click();

    expect(await handle.ended).toMatchObject({ status: 'killed' });
    await opened.row('web').getByText('SIGTERM').first().waitFor();
    await opened.page.locator('header').getByText('1 ended').waitFor();
  });

  test('arrow keys pass through an owner that two programs have', async () => {
    await using stage = await openStage(browser(), { isRecorded: true });
    stage.supervisor.start({ command: 'sleep 300', label: 'one', background: true });
    const second = createSupervisor({ cwd: stage.directory, stateDirectory: '.troupe', recover: false });
    second.start({ command: 'sleep 300', label: 'two', background: true });
    await using served = await serveDirectory(stage.directory);
    await using opened = await stage.open({ link: served.link });
    await opened.row('two').waitFor();
    await opened.row('one').waitFor();
    await opened.page.locator('.row').first().click();

    const seen = [];
    for (let step = 0; step < 6; step += 1) {
      await eventually(async () => expect(await opened.page.locator('.row.selected').count()).toBe(1));
      seen.push(await opened.page.locator('.row.selected').getAttribute('aria-rowindex'));
      await opened.page.keyboard.press('ArrowDown');
    }

    expect(seen).toEqual(['1', '2', '3', '4', '5', '6']);
    await second.shutdown();
  });

  test('the page shows a process whose program is gone', async () => {
    await using stage = await openStage(browser(), { isRecorded: true });
    const handle = stage.supervisor.start({ command: 'echo it was here; exit 3', label: 'build' });
    await handle.ended;
    await stage.supervisor.shutdown();
    await using served = await serveDirectory(stage.directory, ['--read-only']);

    await using opened = await stage.open({ link: served.link, hash: `#/process/${handle.id}` });

    await opened.row('build').getByText('code 3').first().waitFor();
    await eventually(async () => expect(await opened.output()).toContain('it was here'));
    expect(await opened.button('start again').count()).toBe(0);
  });
});
