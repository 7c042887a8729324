import { describe, expect, test } from 'vitest';
import { executablePath, useBrowser } from './browser.ts';
import { eventually, openScriptedStage, openStage } from './stage.ts';

describe.skipIf(executablePath === null)('the buttons of a process', () => {
  const browser = useBrowser();

  test('kill ends the tree and shows the receipt', async () => {
    await using stage = await openStage(browser());
    const handle = stage.supervisor.start({
      command: 'sleep 300 & sleep 300',
      label: 'web',
      background: true,
    });
    await using opened = await stage.open();

    await opened.button('kill').click();

    const { receipt, status } = await handle.ended;
    expect({ status, survivors: receipt?.survivors }).toEqual({ status: 'killed', survivors: [] });
    const answer = opened.page.locator('.answer');
    await answer.getByText('SIGTERM').waitFor();
    expect(await answer.getAttribute('role')).toBe('status');
    await opened.row('web').getByText('SIGTERM').first().waitFor();
    await opened.page.keyboard.press('Escape');
    await eventually(async () => expect(await answer.count()).toBe(0));
  });

  test('interrupt sends SIGINT', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open();

    await opened.button('interrupt').click();

    await eventually(() => expect(stage.backend.lastRun.signals).toContain('SIGINT'));
  });

  test('restart begins another attempt', async () => {
    await using stage = await openScriptedStage(browser());
    const handle = await stage.start('web');
    await using opened = await stage.open();

    await opened.button('restart').click();

    await opened.page.getByText('web is ended and starts again').waitFor();
    await eventually(() => expect(stage.backend.runs).toHaveLength(2));
    await eventually(() => expect(handle.status).toBe('backgrounded'));
  });

  test('background frees the caller that waits', async () => {
    await using stage = await openScriptedStage(browser());
    const handle = stage.supervisor.start({ command: ['make'], label: 'build' });
    await using opened = await stage.open();

    await opened.button('background').click();

    expect(await handle.result()).toMatchObject({ type: 'backgrounded' });
    await opened.page.getByText('build continues in the background').waitFor();
    await eventually(async () => expect(await opened.button('background').count()).toBe(0));
  });

  test('a chosen limit applies', async () => {
    await using stage = await openScriptedStage(browser());
    const handle = await stage.start('web');
    await using opened = await stage.open();

    await opened.page.getByLabel('Change its time limit').selectOption('10m');

    await opened.page.getByText('It has a time limit of 10m').waitFor();
    const view = handle.view();
    expect('endsAt' in view && view.endsAt).toBeGreaterThan(Date.now());
  });

  test('an ended process starts again as another one, which is chosen', async () => {
    await using stage = await openScriptedStage(browser());
    const first = await stage.start('web');
    stage.backend.lastRun.exit({ code: 1 });
    await first.ended;
    await using opened = await stage.open({ hash: `#/process/${first.id}` });

    await opened.button('start again').click();

    await eventually(() => expect(stage.supervisor.list()).toHaveLength(2));
    const second = stage.supervisor.list().find(({ id }) => id !== first.id);
    await opened.page.waitForURL(`**/#/process/${second?.id}`);
    expect(second).toMatchObject({ label: 'web', commandLine: first.view().commandLine });
  });

  test('a refusal is shown in the words of the program', async () => {
    await using stage = await openStage(browser());
    const handle = stage.supervisor.start({ run: async () => {}, label: 'function', background: true });
    await handle.ended;
    await using opened = await stage.open({ hash: `#/process/${handle.id}` });

    await opened.button('start again').click();

    await opened.page.getByRole('alert').getByText('only commands can be started from here').waitFor();
    opened.problems.length = 0;
  });

  test('a read-only page shows everything and has no button that changes anything', async () => {
    await using stage = await openScriptedStage(browser(), { inspector: { readOnly: true } });
    const handle = await stage.start('web');
    await using opened = await stage.open({ hash: `#/process/${handle.id}` });
    await opened.page.getByText('read-only').waitFor();
    await opened.row('web').waitFor();
    await opened.pane('output').waitFor();

    for (const name of ['kill', 'interrupt', 'restart', 'start again', 'send', 'end input', 'type'])
      expect([name, await opened.button(name).count()]).toEqual([name, 0]);
    const status = await opened.page.evaluate(async (id) => {
      const body = JSON.stringify({ method: 'kill', params: { id } });
      const headers = { 'content-type': 'application/json' };
      return (await fetch('api/act', { method: 'POST', headers, body })).status;
    }, handle.id);

    expect(status).toBe(403);
    expect(handle.status).toBe('backgrounded');
    opened.problems.length = 0;
  });
});
