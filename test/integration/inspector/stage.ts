import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { createSupervisor, type ProcessHandle, type Supervisor, type SupervisorOptions } from 'troupe';
import { createInspector, type Inspector, type InspectorOptions } from 'troupe/inspector';
import { createScriptedBackend, expectNoSurvivors, type ScriptedBackend } from 'troupe/testing';
import { expect } from 'vitest';
import { type Served, serve } from './serve.ts';

/** A program with an inspector, served on loopback. */
export interface Stage extends AsyncDisposable {
  readonly supervisor: Supervisor;
  readonly inspector: Inspector;
  readonly served: Served;
  /** Directory of the commands. */
  readonly directory: string;
  /** Opens the page in a browser of its own. */
  open(options?: OpenOptions): Promise<Opened>;
}

/** Options of a page. */
export interface OpenOptions extends BrowserContextOptions {
  /** Selects a process or conversation, such as `#/process/tool_x`. */
  readonly hash?: string;
  /** Address with its token. Default: that of the program. */
  readonly link?: string;
}

/** Page of an inspector in a browser. Its end fails if the page reported an error, or asked another host. */
export interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Errors, warnings and requests to other hosts so far. */
  readonly problems: string[];
  row(name: string): Locator;
  /** Pane of the chosen process or conversation: `side`, `output` or `conversation`. */
  pane(name: 'side' | 'output' | 'conversation'): Locator;
  button(name: string | RegExp): Locator;
  /** Text of the terminal, with its scrollback. */
  output(): Promise<string>;
}

/** Time that a check has until it passes, in ms. Browsers are slow beside each other. */
const TIMEOUT_MS = 30_000;

/** Repeats a check until it no longer throws. @throws its last error */
export async function eventually(check: () => unknown): Promise<void> {
  const giveUpAtMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > giveUpAtMs) throw error;
    }
    await setTimeout(20);
  }
}

/** Options of a stage; those of the inspector without its supervisor. */
export interface StageOptions {
  readonly supervisor?: SupervisorOptions;
  /** Keeps records, logs and the times of output in a state directory. */
  readonly isRecorded?: boolean;
  readonly inspector?: Omit<InspectorOptions, 'supervisor'>;
}

/** Opens a program with real processes. Its end proves that no process is left. */
export async function openStage(browser: Browser, options: StageOptions = {}): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-inspector-'));
  const supervisor = createSupervisor({
    ...{ cwd: directory, shutdownGrace: 300, terminal: 'pty' },
    stateDirectory: options.isRecorded === true ? join(directory, '.troupe') : false,
    ...options.supervisor,
  });
  const inspector = createInspector({ supervisor, title: 'shop', ...options.inspector });
  const served = await serve(inspector.fetch);
  return {
    ...{ supervisor, inspector, served, directory },
    open: ({ link = inspector.link(served.origin), ...wanted } = {}) => openPage(browser, link, wanted),
    [Symbol.asyncDispose]: async () => {
      inspector.close();
      await served[Symbol.asyncDispose]();
      await supervisor.shutdown();
      await expectNoSurvivors(supervisor);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Opens a program whose processes are played by the test. */
export async function openScriptedStage(
  browser: Browser,
  options: StageOptions & { readonly backend?: ScriptedBackend } = {},
): Promise<Stage & { readonly backend: ScriptedBackend; start(label: string): Promise<ProcessHandle> }> {
  const { backend = createScriptedBackend(), ...others } = options;
  const stage = await openStage(browser, {
    ...others,
    supervisor: { backend, maxBackgroundProcesses: 5_000, maxFinished: 5_000, ...others.supervisor },
  });
  return {
    ...stage,
    backend,
    /** Starts a process in the background. Its row is below those of earlier ones, since it begins in a later millisecond. */
    start: async (label) => {
      const handle = stage.supervisor.start({ command: ['run', label], label, background: true });
      await eventually(() => expect(handle.status).toBe('backgrounded'));
      const { createdAt } = handle.view();
      await eventually(() => expect(Date.now()).toBeGreaterThan(createdAt + 1));
      return handle;
    },
  };
}

async function openPage(
  browser: Browser,
  link: string,
  { hash = '', ...options }: Omit<OpenOptions, 'link'>,
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // Lost connections belong to some tests, and Chromium reports each.
    if (['error', 'warning'].includes(message.type()) && !message.text().includes('net::ERR_'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(link).origin && !request.url().startsWith('data:'))
      problems.push(`a request to ${request.url()}`);
  });
  await page.goto(link + hash);
  return {
    ...{ page, problems },
    row: (name) =>
      page.getByRole('row').filter({ has: page.locator('.name').getByText(name, { exact: true }) }),
    pane: (name) => page.locator(`[data-pane=${name}]`),
    button: (name) => page.getByRole('button', { name, exact: typeof name === 'string' }),
    output: async () => (await page.locator('.xterm-rows').innerText()).replaceAll(' ', ' '),
    [Symbol.asyncDispose]: async () => {
      await context.close();
      if (problems.length > 0) throw new Error(`The page reported: ${problems.join('\n')}`);
    },
  };
}
