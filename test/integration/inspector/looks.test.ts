import { describe, expect, test } from 'vitest';
import { executablePath, useBrowser } from './browser.ts';
import { eventually, openScriptedStage } from './stage.ts';

describe.skipIf(executablePath === null)('the look of the page', () => {
  const browser = useBrowser();
  const narrow = { viewport: { width: 360, height: 740 } };

  test('a narrow page shows one pane at a time, without scrolling sideways', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('a-process-with-quite-a-long-name');
    await using opened = await stage.open(narrow);
    const panes = () => opened.page.locator('[data-pane]:visible').count();
    const tab = (name: string) => opened.page.getByRole('tab', { name });
    await tab('output').waitFor();
    expect(await panes()).toBe(1);

    await tab('chart').click();
    await opened.pane('side').waitFor();
    expect(await panes()).toBe(1);
    expect(await tab('chart').getAttribute('aria-selected')).toBe('true');
    await tab('facts').click();
    await opened.pane('side').getByText('directory', { exact: true }).waitFor();

    const { scroll, client } = await opened.page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      client: document.documentElement.clientWidth,
    }));
    expect(scroll).toBeLessThanOrEqual(client);
  });

  test('the page is dark where the system is', async () => {
    await using stage = await openScriptedStage(browser());
    await using opened = await stage.open({ colorScheme: 'dark' });
    const lightness = () =>
      opened.page.evaluate(() => {
        const [red = 0, green = 0, blue = 0] =
          getComputedStyle(document.body)
            .backgroundColor.match(/[\d.]+/g)
            ?.map(Number) ?? [];
        return (red + green + blue) / 3;
      });
    await opened.page.locator('header').waitFor();
    expect(await lightness()).toBeLessThan(60);

    await opened.page.emulateMedia({ colorScheme: 'light' });

    await eventually(async () => expect(await lightness()).toBeGreaterThan(200));
  });

  test('each control has a name for screen readers', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open();
    await opened.page.locator('.xterm').waitFor();
    const session = await opened.page.context().newCDPSession(opened.page);
    const controls = ['button', 'checkbox', 'searchbox', 'textbox', 'slider', 'combobox', 'tab', 'treegrid'];

    const { nodes } = await session.send('Accessibility.getFullAXTree');

    const known = nodes
      .filter(({ ignored }) => !ignored)
      .map(({ role, name }) => ({ role: String(role?.value).toLowerCase(), name: String(name?.value ?? '') }))
      .filter(({ role }) => controls.includes(role));
    expect(known.length).toBeGreaterThan(15);
    expect(known.filter(({ name }) => name.trim() === '')).toEqual([]);
  });

  test('the focus is visible at each stop of the tab key', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open();
    await opened.row('web').waitFor();
    await opened.page.locator('.xterm').waitFor();
    const stops: string[] = [];

    for (let stop = 0; stop < 20; stop += 1) {
      await opened.page.keyboard.press('Tab');
      const { name, isVisible, isTerminal } = await opened.page.evaluate(() => {
        const element = document.activeElement ?? document.body;
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        return {
          name: `${element.tagName} ${element.textContent?.slice(0, 20) ?? ''}`,
          isVisible: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none',
          isTerminal: element.closest('.xterm') !== null || element === document.body,
        };
      });
      if (!isVisible && !isTerminal) stops.push(name);
    }

    expect(stops).toEqual([]);
  });
});
