import { createConversation, createScriptedModel } from 'troupe';
import { describe, expect, test } from 'vitest';
import { executablePath, useBrowser } from './browser.ts';
import { eventually, openScriptedStage } from './stage.ts';

describe.skipIf(executablePath === null)('the past', () => {
  const browser = useBrowser();

  /** A story: build starts and prints, tests start and fail, build ends. */
  const tell = async () => {
    const stage = await openScriptedStage(browser(), { isRecorded: true });
    const build = await stage.start('build');
    const builds = stage.backend.lastRun;
    builds.print('half built\n');
    await later(build.view().createdAt);
    const tests = await stage.start('tests');
    stage.backend.lastRun.exit({ code: 1 });
    await tests.ended;
    await later(Date.now(), 1_200);
    builds.print('all built\n');
    builds.exit();
    await build.ended;
    return { ...stage, build, tests };
  };
  /** Waits until the clock has moved on. The times of output are marked once a second. */
  const later = (from: number, ms = 100) => eventually(() => expect(Date.now() - from).toBeGreaterThan(ms));

  test('steps lead from event to event, and back to now', async () => {
    await using stage = await tell();
    await using opened = await stage.open({ hash: `#/process/${stage.build.id}` });
    const { page } = opened;
    const live = page.getByRole('button', { name: '● live' });
    await live.waitFor();
    await opened.row('build').getByText('code 0').first().waitFor();

    await opened.button('Previous event').click();
    await opened.button('back to now').waitFor();
    while ((await opened.row('tests').count()) > 0) await page.keyboard.press(',');
    await eventually(async () => expect(await opened.row('build').locator('.end').count()).toBe(0));
    expect(await opened.row('build').count()).toBe(1);
    await page.keyboard.press('.');
    await opened.row('tests').waitFor();
    await opened.button('back to now').click();

    await live.waitFor();
    await opened.row('build').getByText('code 0').first().waitFor();
  });

  test('the output is as long as it was', async () => {
    await using stage = await tell();
    await using opened = await stage.open({ hash: `#/process/${stage.build.id}` });
    await eventually(async () => expect(await opened.output()).toContain('all built'));

    const moment = opened.page.getByRole('slider', { name: 'Moment' });
    await moment.fill(String(stage.tests.view().createdAt));

    await eventually(async () => {
      const text = await opened.output();
      expect(text).toContain('half built');
      expect(text).not.toContain('all built');
    });
  });

  test('output without known times says so', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    stage.backend.lastRun.print('some line\n');
    await using opened = await stage.open();

    await opened.button('Previous event').click();

    await opened.pane('output').getByText('its times are unknown').waitFor();
    await eventually(async () => expect(await opened.output()).toContain('some line'));
  });

  test('no button changes the past', async () => {
    await using stage = await openScriptedStage(browser());
    const handle = await stage.start('web');
    await using opened = await stage.open({ hash: `#/process/${handle.id}` });
    await opened.button('kill').waitFor();

    await opened.button('Previous event').click();

    await eventually(async () => expect(await opened.button('kill').count()).toBe(0));
    await opened.button('back to now').click();
    await opened.button('kill').waitFor();
  });

  test('the play goes through all events to now', async () => {
    await using stage = await tell();
    await using opened = await stage.open({ hash: `#/process/${stage.build.id}` });
    await opened.page.getByRole('slider', { name: 'Moment' }).fill(String(stage.build.view().createdAt));
    await eventually(async () => expect(await opened.row('tests').count()).toBe(0));

    await opened.button('Play').click();

    await opened.row('tests').waitFor();
    await opened.page.getByRole('button', { name: '● live' }).waitFor();
    await opened.row('build').getByText('code 0').first().waitFor();
  });

  test('the transcript ends where it did', async () => {
    await using stage = await openScriptedStage(browser());
    const conversation = createConversation({
      ...{ supervisor: stage.supervisor, id: 'assistant' },
      model: createScriptedModel([{ text: 'First answer.' }, { text: 'Second answer.' }]),
    });
    stage.inspector.add(conversation);
    await conversation.say('One.');
    const between = Date.now();
    await later(between);
    await conversation.say('Two.');
    await using opened = await stage.open({ hash: '#/conversation/assistant' });
    await opened.page.getByText('Second answer.').waitFor();

    await opened.page.getByRole('slider', { name: 'Moment' }).fill(String(between + 1));

    await eventually(async () => expect(await opened.page.getByText('Second answer.').count()).toBe(0));
    expect(await opened.page.getByText('First answer.').count()).toBe(1);
    await conversation.close();
  });
});
