import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useBrowser } from './browser.ts';
import { eventually, openScriptedStage } from './stage.ts';

/** Hides the page, as another tab in front of it does, or shows it again. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);

describe.skipIf(executablePath === null)('the connection of the page', () => {
  const browser = useBrowser();

  test('a page that lost its connection says so and continues where it was', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('before');
    await using opened = await stage.open();
    await opened.row('before').waitFor();
    await opened.page.locator('.chart svg').first().waitFor();

    await stage.served.pause();
    await opened.page.getByRole('status').getByText('The connection is lost').waitFor();
    await stage.start('meanwhile');
    expect(await opened.row('before').count()).toBe(1);
    await stage.served.resume();

    await opened.row('meanwhile').waitFor();
    await eventually(async () =>
      expect(await opened.page.getByText('The connection is lost').count()).toBe(0),
    );
    const snapshots = stage.served.requests.filter((path) => path.startsWith('/api/snapshot'));
    expect(snapshots).toHaveLength(1);
  });

  test('a chart that could not be loaded says so, and is drawn by a reload', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open();
    await opened.page.route('**/chunks/charts.js', (route) => route.abort());
    await opened.page.reload();

    await opened.page.getByRole('alert').getByText('The chart could not be loaded').waitFor();
    await opened.page.unroute('**/chunks/charts.js');
    await opened.button('Reload the page').click();

    await opened.page.locator('.chart svg').first().waitFor();
    expect(await opened.page.getByRole('alert').count()).toBe(0);
  });

  test('output continues at its cursor after a cut, with nothing lost or doubled', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    const { lastRun } = stage.backend;
    lastRun.print('one\n');
    await using opened = await stage.open();
    await eventually(async () => expect(await opened.output()).toContain('one'));

    stage.served.cut();
    lastRun.print('two\n');

    await eventually(async () => expect(await opened.output()).toContain('two'));
    const lines = (await opened.output()).split('\n').filter((line) => line.trim() !== '');
    expect(lines.map((line) => line.trim())).toEqual(['one', 'two']);
    expect(stage.served.requests.at(-1)).toBeDefined();
    expect(stage.served.requests.filter((path) => path.startsWith('/api/output')).at(-1)).toContain('from=4');
  });

  test('a hidden page leaves no request open and sends none', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open();
    await opened.row('web').waitFor();
    expect(stage.served.open).toContain('/api/events');

    await setHidden(opened.page, true);

    await eventually(() => expect(stage.served.open).toEqual([]));
    const before = stage.served.requests.length;
    await stage.start('meanwhile');
    await opened.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_500)));
    expect(stage.served.requests.slice(before)).toEqual([]);
    await setHidden(opened.page, false);
    await opened.row('meanwhile').waitFor();
  });

  test('a page with the token of another run says that access is denied', async () => {
    await using stage = await openScriptedStage(browser());
    await using opened = await stage.open();
    await opened.page.locator('header').getByText('shop').waitFor();
    await stage.served.pause();
    await opened.page.context().clearCookies();
    await stage.served.resume();

    await opened.page.getByText('Access is denied').waitFor();

    opened.problems.length = 0;
  });
});
