import { Window } from 'happy-dom';
import { type Browser, chromium } from 'playwright-core';
import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import {
  type Conversation,
  createConversation,
  createLocalStore,
  createScriptedModel,
  createSupervisor,
  type ProcessHandle,
} from 'troupe';
import { TroupeProvider, useConversation, useProcess, useProcesses } from 'troupe/react';
import { createScriptedBackend } from 'troupe/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findChromium } from '../support/find-chromium.ts';
import { App } from './example.tsx';
import { servePage } from './serve-page.tsx';

/** A supervisor whose processes are played by hand, an agent, and their store. */
function arrange() {
  const backend = createScriptedBackend();
  const supervisor = createSupervisor({ stateDirectory: false, backend });
  const conversation = createConversation({
    supervisor,
    model: createScriptedModel([{ text: 'Hello from the agent.' }, { text: 'Again.' }]),
  });
  const store = createLocalStore({ supervisor, conversations: [conversation] });
  return {
    ...{ backend, supervisor, conversation, store },
    start: (label: string) => supervisor.start({ command: ['make'], label, background: true }),
    [Symbol.asyncDispose]: async () => {
      await conversation.close();
      await supervisor.shutdown();
    },
  };
}

test('the hooks render on a server', async () => {
  await using stage = arrange();
  stage.start('build');
  await stage.conversation.say('hi');
  await vi.waitFor(() => expect(stage.supervisor.list()[0]?.status).toBe('backgrounded'));

  const html = renderToString(<App store={stage.store} agent={stage.conversation.id} />);

  expect(html).toContain('build: backgrounded');
  expect(html).toContain('Hello from the agent.');
  expect(html).toContain('data-connection="local"');
});

test('a hook without a provider names it', () => {
  const Lost = () => <p>{useProcesses().length}</p>;

  expect(() => renderToString(<Lost />)).toThrow('useProcesses: there is no <TroupeProvider');
});

describe('in one program', () => {
  const window = new Window();

  beforeAll(() => {
    vi.stubGlobal('window', window);
    vi.stubGlobal('document', window.document);
  });
  afterAll(async () => {
    // React still looks at the window after the last unmount.
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    vi.unstubAllGlobals();
    await window.happyDOM.close();
  });

  test('a handle and a conversation render without a provider', async () => {
    await using stage = arrange();
    const handle = stage.start('build');
    const page = await render(<One handle={handle} conversation={stage.conversation} />);
    await page.shows('build backgrounded idle');

    await stage.conversation.say('hi');
    await page.shows('hi Hello from the agent.');
    stage.backend.lastRun.exit({ code: 3 });
    await page.shows('build failed');

    page.unmount();
  });

  test('the strict mode leaves no subscription behind', async () => {
    await using stage = arrange();
    const subscribed = countSubscriptions(stage.supervisor.processes$);
    const page = await render(
      <TroupeProvider store={stage.store}>
        <Count />
        <Count />
      </TroupeProvider>,
    );
    stage.start('build');
    await page.shows('1 live');
    const whileMounted = subscribed.open();

    page.unmount();
    await vi.waitFor(() => expect(subscribed.open()).toBe(0));

    expect(whileMounted).toBe(1);
  });

  test('a component renders only when its processes change', async () => {
    await using stage = arrange();
    let renders = 0;
    const Labelled = () => {
      renders += 1;
      return <p>{useProcesses({ label: 'mine' }).length}</p>;
    };
    const page = await render(
      <TroupeProvider store={stage.store}>
        <Labelled />
        <Count />
      </TroupeProvider>,
    );
    await page.shows('0 live');
    const before = renders;

    stage.start('other');
    await page.shows('1 live');

    expect(renders).toBe(before);
    page.unmount();
  });

  function One({ handle, conversation }: { handle: ProcessHandle; conversation: Conversation }) {
    const process = useProcess(handle);
    const { status, transcript } = useConversation(conversation);
    return <p>{[process.label, process.status, status, ...transcript.map(({ text }) => text)].join(' ')}</p>;
  }

  function Count() {
    return <p>{`${useProcesses({ live: true }).length} live`}</p>;
  }

  async function render(page: React.ReactElement) {
    const element = window.document.createElement('div');
    const root = createRoot(element as unknown as HTMLElement);
    root.render(<StrictMode>{page}</StrictMode>);
    const shows = (text: string) => vi.waitFor(() => expect(element.textContent).toContain(text));
    await vi.waitFor(() => expect(element.innerHTML).not.toBe(''));
    return { shows, unmount: () => flushSync(() => root.unmount()) };
  }
});

/** Counts the open subscriptions of a stream. */
function countSubscriptions(stream: {
  subscribe: (...args: never[]) => { add(teardown: () => void): void };
}) {
  let open = 0;
  const original = stream.subscribe.bind(stream);
  stream.subscribe = (...args) => {
    const subscription = original(...args);
    open += 1;
    subscription.add(() => {
      open -= 1;
    });
    return subscription;
  };
  return { open: () => open };
}

const executablePath = findChromium();

describe.skipIf(executablePath === null)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  test('a page that was rendered on the server follows the program', async () => {
    await using stage = arrange();
    stage.start('build');
    await vi.waitFor(() => expect(stage.supervisor.list()[0]?.status).toBe('backgrounded'));
    await using served = await servePage(stage.store, stage.conversation.id);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));

    await page.goto(served.url);
    await page.waitForSelector('main[data-connection=open]');
    stage.start('<b>test</b>');
    await page.getByText('<b>test</b>: backgrounded').waitFor();
    await stage.conversation.say('hi');
    await page.getByText('Hello from the agent.').waitFor();
    await page.getByText('The agent is idle.').waitFor();

    expect(problems).toEqual([]);
    expect(await page.locator('li').allTextContents()).toEqual([
      'build: backgrounded',
      '<b>test</b>: backgrounded',
    ]);
    // The strict mode mounts everything twice.
    expect(served.streams).toEqual({ opened: 1, open: 1 });
    await page.evaluate(() => globalThis.unmount());
    await vi.waitFor(() => expect(served.streams.open).toBe(0));
    await page.close();
  });

  test('a page that lost its connection continues', async () => {
    await using stage = arrange();
    stage.start('before');
    await using served = await servePage(stage.store, stage.conversation.id);
    const page = await browser.newPage();
    await page.goto(served.url);
    await page.waitForSelector('main[data-connection=open]');

    served.cut();
    await page.waitForSelector('main[data-connection=lost]');
    stage.start('meanwhile');
    await page.getByText('meanwhile: backgrounded').waitFor();

    expect(await page.locator('main').getAttribute('data-connection')).toBe('open');
    await page.close();
  });
});
