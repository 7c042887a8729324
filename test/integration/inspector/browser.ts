import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { findChromium } from '../support/find-chromium.ts';

/** Path of the browser; `null` skips the tests that need one. */
export const executablePath = findChromium();

/** Host that Chromium resolves to this machine, as a rebound DNS name of another site is. */
export const foreignHost = 'rebound.example';

/** Starts a Chromium that looks up nothing by itself. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath ?? '',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
      ...['--no-first-run', `--host-resolver-rules=MAP ${foreignHost} 127.0.0.1`],
    ],
  });
}

/** Starts one Chromium for the tests of a file. */
export function useBrowser(): () => Browser {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === null) throw new Error('The browser was not started.');
    return browser;
  };
}
