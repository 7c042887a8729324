import { createConversation, createScriptedModel } from 'troupe';
import { describe, expect, test } from 'vitest';
import { executablePath, foreignHost, useBrowser } from './browser.ts';
import { serve } from './serve.ts';
import { eventually, openScriptedStage } from './stage.ts';

const markup = `</script><script>globalThis.hacked = 1</script><img src=x onerror="globalThis.hacked = 2">`;

describe.skipIf(executablePath === null)('attacks on the page', () => {
  const browser = useBrowser();

  test('markup in labels, commands, output and transcripts stays text', async () => {
    await using stage = await openScriptedStage(browser());
    const conversation = createConversation({
      ...{ supervisor: stage.supervisor, id: 'assistant' },
      model: createScriptedModel([{ text: markup }]),
    });
    stage.inspector.add(conversation);
    await conversation.say(markup);
    stage.supervisor.start({
      ...{ command: ['run', markup], label: markup, owner: conversation.id, background: true },
      metadata: { [markup]: markup },
    });
    await eventually(() => expect(stage.backend.runs).toHaveLength(1));
    stage.backend.lastRun.print(`${markup}\n`);
    await using opened = await stage.open();
    await eventually(async () => expect((await opened.output()).replaceAll('\n', '')).toContain('</script>'));
    await opened.button('facts').click();
    await opened.pane('conversation').getByText(markup).first().waitFor();

    expect(await opened.page.evaluate(() => 'hacked' in globalThis)).toBe(false);
    expect(await opened.page.locator('img').count()).toBe(0);
    expect(await opened.page.locator('script').count()).toBe(1);
    await conversation.close();
  });

  test('escape sequences reach neither clipboard nor title, and open no link', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    const secret = Buffer.from('stolen').toString('base64');
    const attacks = [
      ...[`\x1b]52;c;${secret}\x07`, `\x1b]0;hacked title\x07`, `\x1b]2;hacked title\x1b\\`],
      ...[`\x1b]8;;https://evil.example/\x1b\\click me\x1b]8;;\x1b\\`, 'https://evil.example/plain'],
    ];
    await using opened = await stage.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = opened;
    await page.locator('.xterm').waitFor();
    await page.bringToFront();
    await page.evaluate(() => navigator.clipboard.writeText('mine'));
    const title = await page.title();

    stage.backend.lastRun.print(`${attacks.join('\n')}\nafter all\n`);
    await eventually(async () => expect(await opened.output()).toContain('after all'));
    for (const text of ['click me', 'evil.example/plain'])
      await page
        .locator('.xterm-rows')
        .getByText(text)
        .first()
        .click({ modifiers: ['ControlOrMeta'], force: true });

    expect(await page.title()).toBe(title);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
    expect(page.context().pages()).toHaveLength(1);
    expect(new URL(page.url()).origin).toBe(stage.served.origin);
  });

  test('a label of a megabyte neither stops the page nor widens it', async () => {
    await using stage = await openScriptedStage(browser());
    stage.supervisor.start({ command: ['make'], label: 'x'.repeat(1_000_000), background: true });
    await stage.start('web');
    await using opened = await stage.open();

    await opened.row('web').locator('.name').click();

    await opened.pane('side').getByRole('heading', { name: /web/ }).waitFor();
    const { scroll, client } = await opened.page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      client: document.documentElement.clientWidth,
    }));
    expect(scroll).toBeLessThanOrEqual(client);
  });

  test('a DNS name of another site that leads to this machine gets nothing', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    const context = await browser().newContext();
    const page = await context.newPage();
    const { port } = new URL(stage.served.origin);
    const { search } = new URL(stage.inspector.link(stage.served.origin));

    const response = await page.goto(`http://${foreignHost}:${port}/${search}`);

    expect(response?.status()).toBe(421);
    expect(await page.locator('body').innerText()).not.toContain('web');
    const status = await page.evaluate(async () => (await fetch('/api/snapshot')).status);
    expect(status).toBe(421);
    await context.close();
  });

  test('a page of another site can neither read nor order, nor put the page into a frame', async () => {
    await using stage = await openScriptedStage(browser());
    const handle = await stage.start('web');
    const html = '<!doctype html><title>evil</title>';
    await using evil = await serve(
      async () => new Response(html, { headers: { 'content-type': 'text/html' } }),
    );
    await using opened = await stage.open();
    await opened.row('web').waitFor();
    const other = await opened.page.context().newPage();
    await other.goto(evil.origin);
    const before = stage.served.requests.length;

    const results = await other.evaluate(
      async ({ target, id }) => {
        const attempt = async (path: string, init: RequestInit) => {
          try {
            const response = await fetch(target + path, { credentials: 'include', ...init });
            return response.type === 'opaque' ? 'opaque' : await response.text();
          } catch {
            return 'refused';
          }
        };
        const body = JSON.stringify({ method: 'kill', params: { id } });
        const json = { 'content-type': 'application/json' };
        const read = await attempt('/api/snapshot', {});
        const opaque = await attempt('/api/snapshot', { mode: 'no-cors' });
        const ordered = await attempt('/api/act', { method: 'POST', headers: json, body });
        const plain = await attempt('/api/act', { method: 'POST', mode: 'no-cors', body });
        const form = document.createElement('form');
        Object.assign(form, {
          method: 'post',
          enctype: 'text/plain',
          action: `${target}/api/act`,
          target: 'sink',
        });
        const field = document.createElement('input');
        Object.assign(field, { name: body.slice(0, -1), value: '}' });
        form.append(field);
        const sink = document.createElement('iframe');
        sink.name = 'sink';
        document.body.append(form, sink);
        form.submit();
        const frame = document.createElement('iframe');
        frame.src = `${target}/`;
        document.body.append(frame);
        await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
        return { read, opaque, ordered, plain };
      },
      { target: stage.served.origin, id: handle.id },
    );
    await eventually(() => expect(stage.served.requests.slice(before)).toContain('/'));

    expect(results).toEqual({ read: 'refused', opaque: 'opaque', ordered: 'refused', plain: 'opaque' });
    const framed = other.frames().filter((frame) => frame.url().startsWith(stage.served.origin));
    for (const frame of framed) expect(await frame.content()).not.toContain('id="app"');
    expect(handle.status).toBe('backgrounded');
    expect(stage.backend.lastRun.signals).toEqual([]);
  });

  test('the token leaves the address at once, and no request carries it on', async () => {
    await using stage = await openScriptedStage(browser());
    await using opened = await stage.open();
    await opened.page.locator('header').getByText('shop').waitFor();

    expect(opened.page.url()).not.toContain('token');
    expect(await opened.page.evaluate(() => document.cookie)).toBe('');
    expect(await opened.page.evaluate(() => document.referrer)).not.toContain('token');
    expect(stage.served.requests.filter((path) => path.includes('token'))).toHaveLength(1);
  });
});
