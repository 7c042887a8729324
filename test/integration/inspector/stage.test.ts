import { createConversation, createScriptedModel } from 'troupe';
import { describe, expect, test } from 'vitest';
import { createActor, setup } from 'xstate';
import { executablePath, useBrowser } from './browser.ts';
import { eventually, openScriptedStage, openStage } from './stage.ts';

describe.skipIf(executablePath === null)('the table of processes', () => {
  const browser = useBrowser();

  test('the page shows what runs, what ended and why', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('lint');
    stage.backend.lastRun.exit();
    await stage.start('tests');
    stage.backend.lastRun.exit({ code: 1 });
    await stage.start('web');

    await using opened = await stage.open();

    await opened.row('web').getByText('run web').waitFor();
    await opened.row('lint').getByText('code 0').first().waitFor();
    await opened.row('tests').getByText('code 1').first().waitFor();
    const header = opened.page.locator('header');
    await header.getByText('shop').waitFor();
    await header.getByText('1 live').waitFor();
    await header.getByText('2 ended').waitFor();
    await header.getByText('1 failed').waitFor();
    expect(await opened.page.title()).toContain('shop');
  });

  test('a process appears when it starts, and its end when it ends', async () => {
    await using stage = await openScriptedStage(browser());
    await using opened = await stage.open();
    await opened.page.getByText('Nothing has been started yet').waitFor();

    await stage.start('web');
    await opened.row('web').waitFor();
    stage.backend.lastRun.exit({ code: 3 });

    await opened.row('web').getByText('code 3').first().waitFor();
    await opened.page.getByText('1 failed', { exact: true }).waitFor();
  });

  test('a lane says each state with its time', async () => {
    await using stage = await openScriptedStage(browser());
    const handle = await stage.start('web');
    stage.backend.lastRun.obeys = (signal) => signal === 'SIGKILL';
    void handle.kill({ grace: '3s' });
    await using opened = await stage.open();

    const lane = opened.row('web').locator('.lane');

    await eventually(async () =>
      expect(await lane.getAttribute('aria-label')).toMatch(/pending from [\d:]+, .*stopping from [\d:]+/),
    );
    expect(await lane.locator('.bar.stopping').count()).toBe(1);
    await eventually(async () =>
      expect(await lane.getAttribute('aria-label')).toMatch(/killed .* at [\d:]+$/),
    );
  });

  test('arrows lead from the turn to its process, and from its end into the conversation', async () => {
    await using stage = await openScriptedStage(browser());
    const conversation = createConversation({
      supervisor: stage.supervisor,
      id: 'assistant',
      policy: { mode: 'auto' },
      model: createScriptedModel([
        { calls: [{ name: 'start_process', arguments: { command: 'make all', label: 'build' } }] },
        { text: 'It builds.' },
        { text: 'It failed.' },
      ]),
    });
    stage.inspector.add(conversation);
    await conversation.say('Build it.');
    await using opened = await stage.open();
    await opened.page.locator('line.arrow.started').waitFor({ state: 'attached' });
    expect(await opened.page.locator('line.arrow.notified').count()).toBe(0);

    stage.backend.lastRun.exit({ code: 2 });
    await conversation.idle();

    await opened.page.locator('line.arrow.notified').waitFor({ state: 'attached' });
    await conversation.close();
  });

  test('a process that an agent starts stands below the agent', async () => {
    await using stage = await openScriptedStage(browser());
    const agent = stage.supervisor.start({
      command: 'reviewer',
      kind: 'agent',
      label: 'reviewer',
      background: true,
    });
    stage.supervisor.start({ command: 'rg TODO', label: 'search', owner: agent.id, background: true });
    await using opened = await stage.open();
    await opened.row('search').waitFor();

    const levels = await opened.page
      .locator('.row')
      .evaluateAll((rows) =>
        rows.map((row) => [row.getAttribute('data-id'), row.getAttribute('aria-level')]),
      );

    expect(levels).toEqual([
      [stage.supervisor.id, '1'],
      ['user', '2'],
      [agent.id, '3'],
      [expect.stringMatching(/^tool_/), '4'],
    ]);
  });

  test('a machine of the program has a row, a chart with the active state, and steps with their guards', async () => {
    await using stage = await openScriptedStage(browser());
    const machine = setup({ guards: { isAllowed: () => true } }).createMachine({
      id: 'deploy',
      initial: 'idle',
      states: {
        idle: { on: { DEPLOY: [{ guard: 'isAllowed', target: 'deploying' }, { target: 'refused' }] } },
        deploying: { on: { DONE: 'live' } },
        refused: {},
        live: { type: 'final' },
      },
    });
    const actor = createActor(machine, { id: 'deploy', inspect: stage.inspector.inspect }).start();
    await using opened = await stage.open();
    await opened.row('deploy').click();
    const pane = opened.pane('side');
    await pane.locator('[data-state="idle"].lit').first().waitFor();

    actor.send({ type: 'DEPLOY' });

    await pane.locator('[data-state="deploying"].lit').first().waitFor();
    await pane.locator('.steps').getByText('DEPLOY [isAllowed] → deploying').waitFor();
    expect(await pane.locator('[data-state="refused"].lit').count()).toBe(0);
    actor.send({ type: 'DONE' });
    await opened.row('deploy').getByText('done').waitFor();
  });

  test('the filter keeps the rows with all its words', async () => {
    await using stage = await openScriptedStage(browser());
    for (const label of ['web', 'web-tests', 'lint']) await stage.start(label);
    stage.backend.lastRun.exit();
    await using opened = await stage.open();
    await opened.row('lint').waitFor();

    await opened.page.keyboard.press('/');
    await opened.page.keyboard.type('web');
    await eventually(async () => expect(await opened.row('lint').count()).toBe(0));
    expect(await opened.row('web').count()).toBe(1);
    await opened.page.keyboard.type(' tests');
    await eventually(async () => expect(await opened.row('web').count()).toBe(0));
    expect(await opened.row('web-tests').count()).toBe(1);
    await opened.page.keyboard.type(' nothing');
    await opened.page.getByText('No process fits the filter.').waitFor();

    await opened.page.getByRole('searchbox').fill('');
    await opened.row('lint').click();
    await opened.page.getByLabel('hide ended').check();
    await eventually(async () => expect(await opened.row('lint').count()).toBe(0));
    expect(await opened.row('web').count()).toBe(1);
    await opened.pane('side').getByText('completed').first().waitFor();
  });

  test('arrow keys choose rows, and the address follows', async () => {
    await using stage = await openScriptedStage(browser());
    const ids: string[] = [];
    for (const label of ['one', 'two', 'three']) ids.push((await stage.start(label)).id);
    await using opened = await stage.open({ hash: `#/process/${ids[0]}` });
    const { page } = opened;
    await opened.row('one').focus();

    await page.keyboard.press('ArrowDown');
    await page.waitForURL(`**/#/process/${ids[1]}`);
    await page.keyboard.press('End');
    await page.waitForURL(`**/#/process/${ids[2]}`);
    expect(await opened.row('three').getAttribute('aria-selected')).toBe('true');
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.getAttribute('data-id'))).toBe(ids[2]),
    );
    await page.keyboard.press('Home');
    await page.waitForURL(`**/#/supervisor/${stage.supervisor.id}`);
    await page.getByLabel('Chosen supervisor').getByText('3 live').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL('**/#/conversation/**');
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(`**/#/process/${ids[0]}`);
  });

  test('a link opens its process, and the back button the one before', async () => {
    await using stage = await openScriptedStage(browser());
    const { id } = await stage.start('one');
    await stage.start('two');
    await using opened = await stage.open({ hash: `#/process/${id}` });
    const heading = opened.pane('side').getByRole('heading', { level: 2 });
    await heading.getByText('one').waitFor();

    await opened.row('two').locator('.name').click();
    await heading.getByText('two').waitFor();
    await opened.page.goBack();
    await heading.getByText('one').waitFor();
    await opened.page.goForward();

    await heading.getByText('two').waitFor();
  });

  test('a click on a lane chooses its process', async () => {
    await using stage = await openScriptedStage(browser());
    const { id } = await stage.start('one');
    await stage.start('two');
    await using opened = await stage.open();
    const box = await opened.row('one').locator('.lane').boundingBox();

    await opened.page.mouse.click((box?.x ?? 0) + 200, (box?.y ?? 0) + 10);

    await opened.page.waitForURL(`**/#/process/${id}`);
  });

  test('a link to an unknown process says that it is unknown', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('one');
    await using opened = await stage.open({ hash: '#/process/tool_22222222' });

    await opened.page.getByText('not known here').waitFor();
    expect(await opened.row('one').count()).toBe(1);
  });

  test('keys zoom the axis, and 0 shows all of it again', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open();
    const { page } = opened;
    const all = opened.button('all');
    await opened.row('web').focus();
    expect(await all.getAttribute('aria-pressed')).toBe('true');

    await page.keyboard.press('+');
    await eventually(async () => expect(await all.getAttribute('aria-pressed')).toBe('false'));
    await page.keyboard.press('0');
    await eventually(async () => expect(await all.getAttribute('aria-pressed')).toBe('true'));
    await opened.button('10 s').click();

    expect(await opened.button('10 s').getAttribute('aria-pressed')).toBe('true');
  });

  test('a row shows memory and ports of its process', async () => {
    await using stage = await openStage(browser());
    const program = `require('http').createServer().listen(0, '127.0.0.1')`;
    stage.supervisor.start({ command: [process.execPath, '-e', program], label: 'web', background: true });
    await using opened = await stage.open();

    await opened
      .row('web')
      .getByText(/^:\d+$/)
      .waitFor();

    await opened
      .row('web')
      .locator('.memory')
      .getByText(/\d MiB$/)
      .waitFor();
  });

  test('a row shows what waits for input', async () => {
    await using stage = await openStage(browser());
    const command = `printf 'password: '; stty -echo; read -r word; stty echo; sleep 60`;
    stage.supervisor.start({ command, label: 'login', interactive: true, background: true });
    await using opened = await stage.open();

    await opened.row('login').getByText('waits for a secret').waitFor();

    await opened.page.getByText('1 waits for input').waitFor();
  });
});
