import { createConversation, createScriptedModel, type ProcessHandle } from 'troupe';
import { describe, expect, test } from 'vitest';
import { executablePath, useBrowser } from './browser.ts';
import { eventually, type Opened, openScriptedStage, openStage } from './stage.ts';

const shows = (opened: Opened, text: string) =>
  eventually(async () => expect(await opened.output()).toContain(text));

const reads = (handle: ProcessHandle, text: string) =>
  eventually(() => expect(handle.read().text).toContain(text));

describe.skipIf(executablePath === null)('output and input', () => {
  const browser = useBrowser();

  test('output is shown from the beginning, with what comes', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    const { lastRun } = stage.backend;
    lastRun.print('first line\n\x1b[31mred line\x1b[0m\n');
    await using opened = await stage.open();
    await shows(opened, 'first line');

    lastRun.print('later line\n');

    await shows(opened, 'later line');
    expect(await opened.page.locator('.xterm-rows .xterm-fg-1').innerText()).toBe('red line');
    await opened.pane('output').getByText('3 lines').waitFor();
  });

  test('output that cannot be read is said, and not asked for again', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open({ hash: '#/' });
    let asked = 0;
    await opened.page.route('**/api/output*', (route) => {
      asked += 1;
      return route.fulfill({
        status: 200,
        body: '{"error":"the disk is gone","code":"not-found"}\n',
      });
    });
    await opened.row('web').waitFor();
    await opened.page.reload();

    await opened.pane('output').getByText('cannot be read on: the disk is gone').waitFor();
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 1_500));

    expect(asked).toBe(before);
  });

  test('the search finds text of the output, or says that there is none', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1} of many`);
    stage.backend.lastRun.print(`${lines.join('\n')}\n`);
    await using opened = await stage.open();
    await shows(opened, 'line 300 of many');
    expect(await opened.output()).not.toContain('line 17 of');

    await opened.pane('output').getByRole('button', { name: 'search' }).click();
    await opened.page.getByPlaceholder('search', { exact: true }).fill('line 17 of');
    await opened.page.keyboard.press('Enter');
    await shows(opened, 'line 17 of');
    await opened.page.getByPlaceholder('search', { exact: true }).fill('no such words');
    await opened.page.keyboard.press('Enter');

    await opened.page.getByText('does not contain “no such words”').waitFor();
  });

  test('a line reaches the input of a process, and its end too', async () => {
    await using stage = await openStage(browser());
    const handle = stage.supervisor.start({ command: ['cat'], stdin: 'pipe', background: true });
    await using opened = await stage.open();
    const field = opened.pane('output').getByRole('textbox', { name: /input of the process/ });
    await field.fill('hello there');
    await field.press('Enter');
    await opened.page.getByText('12 bytes written').waitFor();
    await shows(opened, 'hello there');

    await opened.button('end input').click();
    await eventually(async () => expect(await field.count()).toBe(0));

    expect(await handle.ended).toMatchObject({ status: 'completed', exit: { code: 0 } });
    await eventually(async () => expect(await field.count()).toBe(0));
  });

  test('typed text, keys and pastes reach a terminal', async () => {
    await using stage = await openStage(browser());
    const command = 'read -r name; echo "hello $name"; read -r other; echo "and $other"; sleep 300';
    const handle = stage.supervisor.start({ command, label: 'shell', interactive: true, background: true });
    await using opened = await stage.open();
    await opened.page.locator('.xterm textarea').waitFor({ state: 'attached' });
    await opened.button('type').click();

    await opened.page.keyboard.type('Ada');
    await opened.page.keyboard.press('Enter');
    await shows(opened, 'hello Ada');
    await opened.page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', `${'long '.repeat(20)}paste\n`);
      const area = document.querySelector('.xterm textarea');
      area?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await reads(handle, 'and long long');
    await opened.button('C-c').click();

    expect(await handle.ended).toMatchObject({ exit: { signal: 'SIGINT' } });
  });

  test('a terminal gets another size', async () => {
    await using stage = await openStage(browser());
    const command = `trap 'stty size' WINCH; while :; do sleep 0.1; done`;
    const handle = stage.supervisor.start({ command, interactive: true, background: true });
    await using opened = await stage.open();

    await opened.page.getByLabel('size').selectOption('120×40');

    await reads(handle, '40 120');
    await opened.pane('output').getByText('terminal 120×40').waitFor();
  });

  test('facts name command, directory, end and what happened', async () => {
    await using stage = await openScriptedStage(browser());
    const handle = await stage.start('web');
    await handle.kill();
    await using opened = await stage.open();
    await opened.pane('side').getByRole('button', { name: 'facts' }).click();
    const facts = opened.pane('side');

    await facts.getByText(handle.id, { exact: true }).waitFor();
    for (const text of ['run web', handle.view().cwd, 'nothing survived', /^it was killed|SIGTERM/])
      await facts.getByText(text).first().waitFor();
    const entries = await facts.getByRole('listitem').allInnerTexts();
    expect(entries).toHaveLength(handle.timeline().length);
    expect(entries.join('\n')).toMatch(/created[\s\S]+started[\s\S]+stopping[\s\S]+ended/);
  });

  test('a chart shows the state of the process, and the path to it', async () => {
    await using stage = await openScriptedStage(browser());
    await stage.start('web');
    await using opened = await stage.open();

    const chart = opened.pane('side').locator('.chart');

    await chart.getByText('backgrounded').first().waitFor();
    stage.backend.lastRun.exit({ code: 1 });
    await opened.pane('side').getByText('failed').first().waitFor();
  });
});

describe.skipIf(executablePath === null)('a conversation', () => {
  const browser = useBrowser();

  const talk = async (script: Parameters<typeof createScriptedModel>[0], mode: 'auto' | 'default') => {
    const stage = await openScriptedStage(browser());
    const conversation = createConversation({
      ...{ supervisor: stage.supervisor, id: 'assistant', agent: 'assistant', policy: { mode } },
      ...{ ask: stage.inspector.ask, model: createScriptedModel(script) },
    });
    stage.inspector.add(conversation);
    return {
      ...{ ...stage, conversation },
      [Symbol.asyncDispose]: async () => {
        await conversation.close();
        await stage[Symbol.asyncDispose]();
      },
    };
  };
  const start = { name: 'start_process', arguments: { command: 'npm run build', label: 'build' } };
  const again = { name: 'start_process', arguments: { command: 'npm run build -- -s', label: 'again' } };

  test('the transcript has calls, answers, and notices where they entered', async () => {
    await using stage = await talk(
      [{ calls: [start] }, { text: 'It builds.' }, { text: 'It has failed.' }],
      'auto',
    );
    await stage.conversation.say('Build it.');
    stage.backend.lastRun.exit({ code: 2 });
    await stage.conversation.idle();
    await using opened = await stage.open({ hash: '#/conversation/assistant' });
    const messages = opened.pane('conversation').getByRole('list', { name: 'Transcript' });
    await messages.getByText('It has failed.').waitFor();

    const roles = await messages.locator('.who').allInnerTexts();

    expect(roles).toEqual(['you', 'agent', 'answer', 'agent', 'notice', 'agent']);
    await messages.getByText('start_process').waitFor();
    await messages.getByRole('button', { name: /→ build/ }).click();
    await opened.page.waitForURL('**/#/process/**');
    await opened.pane('conversation').getByText('inbox empty').waitFor();
  });

  test('an allowed question lets the agent continue', async () => {
    await using stage = await talk([{ calls: [start] }, { text: 'It builds.' }], 'default');
    void stage.conversation.say('Build it.');
    await using opened = await stage.open();
    const alert = opened.page.getByRole('alert').filter({ hasText: 'assistant asks' });
    await alert.getByText('npm run build').first().waitFor();

    await alert.getByRole('button', { name: 'allow', exact: true }).click();

    await opened.pane('conversation').getByText('It builds.').waitFor();
    await eventually(async () => expect(await alert.count()).toBe(0));
    expect(stage.supervisor.list()).toHaveLength(1);
  });

  test('a denied question starts nothing', async () => {
    await using stage = await talk([{ calls: [start] }, { text: 'Then not.' }], 'default');
    void stage.conversation.say('Build it.');
    await using opened = await stage.open();

    await opened.button('deny').click();

    await opened.page.getByText('Then not.').waitFor();
    expect(stage.supervisor.list()).toEqual([]);
  });

  test('a question that is always allowed is not asked again', async () => {
    await using stage = await talk([{ calls: [start] }, { calls: [again] }, { text: 'Twice.' }], 'default');
    void stage.conversation.say('Build it.');
    await using opened = await stage.open();

    await opened.button(/^always allow/).click();

    await opened.pane('conversation').getByText('Twice.').waitFor();
    expect(stage.supervisor.list()).toHaveLength(2);
  });

  test('a message reaches the agent, and its answer the page', async () => {
    await using stage = await talk([{ text: 'Good day.' }], 'auto');
    await using opened = await stage.open({ hash: '#/conversation/assistant' });
    const field = opened.page.getByRole('textbox', { name: 'Message to assistant' });

    await field.fill('Hello.');
    await field.press('Enter');

    await opened.pane('conversation').getByText('Good day.').waitFor();
    expect(stage.conversation.transcript[0]).toMatchObject({ role: 'user', text: 'Hello.' });
    expect(await field.inputValue()).toBe('');
  });

  test('an interrupted turn ends', async () => {
    const waits = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      return { text: '' };
    };
    await using stage = await talk([waits], 'auto');
    const said = stage.conversation.say('Think.');
    await using opened = await stage.open({ hash: '#/conversation/assistant' });
    await opened.pane('conversation').getByText('thinking').waitFor();

    await opened.button('interrupt').click();

    expect(await said).toMatchObject({ type: 'interrupted' });
    await opened.pane('conversation').getByText('idle').waitFor();
  });

  test('the inbox shows what waits for the next turn', async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const waits = async () => {
      await go;
      return { text: 'Done thinking.' };
    };
    await using stage = await talk([{ calls: [start] }, waits, { text: 'I heard.' }], 'auto');
    void stage.conversation.say('Build it.');
    await eventually(() => expect(stage.backend.runs).toHaveLength(1));
    stage.backend.lastRun.exit({ code: 7 });
    await using opened = await stage.open({ hash: '#/conversation/assistant' });

    await opened.pane('conversation').getByText('1 in the inbox').waitFor();
    expect(await opened.pane('conversation').locator('.message.waiting').innerText()).toContain('build');
    resolve();

    await opened.pane('conversation').getByText('I heard.').waitFor();
    await opened.pane('conversation').getByText('inbox empty').waitFor();
  });
});
