import { createRequire } from 'node:module';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pass } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createSupervisor, type Supervisor } from '../src/index.ts';
import { createInspector } from '../src/inspector/index.ts';
import { type Answer, print } from './answer.ts';

const PROCESSES = 1_000;
const SPAN_MS = 10_000;
/** Resolution of the measured delay: Node adds it to each value. */
const RESOLUTION_MS = 1;

/** Prints 10 MB a second, in lines. */
const flood = `const line = 'x'.repeat(99) + '\\n'; setInterval(() => process.stdout.write(line.repeat(1000)), 10)`;

/** The part of playwright-core that is used here: it is installed below test/integration only. */
interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}
interface Page {
  goto(url: string): Promise<unknown>;
  waitForSelector(selector: string): Promise<unknown>;
  evaluate<T>(script: string): Promise<T>;
  on(event: 'response', listener: (response: { url(): string; body(): Promise<Buffer> }) => void): void;
  close(): Promise<void>;
}

function openBrowser(): Promise<Browser> {
  const folder = join(import.meta.dirname, '../test/integration/inspector/package.json');
  const { chromium } = createRequire(folder)('playwright-core') as {
    chromium: { launch(options: object): Promise<Browser> };
  };
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const quiet = ['--disable-background-networking', '--disable-sync', '--no-first-run'];
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...quiet] });
}

/** Returns the delay of the event loop that one turn in a hundred exceeds, over some seconds, in ms. */
async function measureDelay(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await pass(SPAN_MS);
  delay.disable();
  return delay.percentile(99) / 1e6 - RESOLUTION_MS;
}

/** Scrolls the table for some seconds. Returns frames per second: the mean, and that of the longest frame in twenty. */
const scroll = `(async () => {
  const box = document.querySelector('.rows');
  const times = [];
  const begin = performance.now();
  for (let index = 0; performance.now() - begin < ${SPAN_MS / 2}; index += 1) {
    times.push(await new Promise((resolve) => requestAnimationFrame(resolve)));
    box.scrollTop = (index * 40) % (box.scrollHeight - box.clientHeight);
  }
  const lengths = times.slice(1).map((time, index) => time - times[index]).sort((a, b) => a - b);
  return { mean: 1000 / (lengths.reduce((sum, each) => sum + each, 0) / lengths.length), slow: 1000 / lengths[Math.floor(lengths.length * 0.95)] };
})()`;

async function startMany(supervisor: Supervisor): Promise<string> {
  for (let count = 1; count < PROCESSES; count += 1)
    supervisor.start({ command: ['sleep', '1000'], label: `sleeper-${count}`, background: true });
  const { id } = supervisor.start({
    command: [process.execPath, '-e', flood],
    label: 'flood',
    background: true,
  });
  await pass(5_000);
  return id;
}

export async function answerInspector(): Promise<Answer> {
  const browser = await openBrowser();
  await using supervisor = createSupervisor({ stateDirectory: false, maxBackgroundProcesses: PROCESSES });
  using inspector = createInspector({ supervisor });
  const { link, close } = await inspector.listen();
  try {
    const flooding = await startMany(supervisor);
    const delayAlone = await measureDelay();
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const files = new Map<string, Promise<Buffer>>();
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (/\.(js|css|html)$|^\/$/.test(pathname))
        files.set(
          pathname,
          response.body().catch(() => Buffer.alloc(0)),
        );
    });
    await page.goto(`${link}#/process/${flooding}`);
    await page.waitForSelector('.row');
    const paint = await page.evaluate<number>(
      `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
    );
    await page.waitForSelector('.xterm');
    const bodies = await Promise.all(
      [...files].map(async ([path, body]) => ({ path, size: gzipSync(await body).length })),
    );
    const isFirst = ({ path }: { readonly path: string }) => !path.includes('/chunks/');
    const sum = (sizes: readonly { readonly size: number }[]) =>
      sizes.reduce((all, { size }) => all + size, 0) / 1024;
    const delayOpen = await measureDelay();
    const frames = await page.evaluate<{ mean: number; slow: number }>(scroll);
    const goal = (text: string, isMet: boolean) => ({ goal: { text, isMet } });
    return {
      question: 'Does the page of the inspector stay out of the way?',
      measured: `${PROCESSES.toLocaleString('en')} live processes, one of which prints 10 MB/s; its output is shown. The event loop is that of the supervising program, over ${SPAN_MS / 1000} s; Chromium runs beside it, without a graphics card.`,
      columns: ['what', 'figure'],
      rows: [
        {
          cells: ['first view, gzipped', `${sum(bodies.filter(isFirst)).toFixed(0)} KB`],
          ...goal('≤ 350 KB', sum(bodies.filter(isFirst)) <= 350),
        },
        { cells: ['with terminal and charts, gzipped', `${sum(bodies).toFixed(0)} KB`] },
        { cells: ['first paint', `${paint.toFixed(0)} ms`], ...goal('< 1 s', paint < 1_000) },
        {
          cells: ['frames while scrolling', `${frames.mean.toFixed(0)} per second`],
          ...goal('> 30', frames.mean > 30),
        },
        { cells: ['the slowest twentieth of them', `${frames.slow.toFixed(0)} per second`] },
        { cells: ['delay of the event loop at p99, no page', `${delayAlone.toFixed(1)} ms`] },
        {
          cells: ['delay of the event loop at p99, page open', `${delayOpen.toFixed(1)} ms`],
          ...goal('< 20 ms', delayOpen < 20),
        },
      ],
    };
  } finally {
    await close();
    await browser.close();
  }
}

if (import.meta.main) print(await answerInspector());
