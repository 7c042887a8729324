import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock/clock.ts';
import { createRealClock } from '../../src/clock/real-clock.ts';
import type { ReadinessSettings } from '../../src/config/process-spec.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { watchReadiness } from '../../src/readiness/watch-readiness.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { endAll } from '../support/os.ts';
import { createMemoryLog } from '../support/output-logs.ts';
import { turn } from '../support/virtual.ts';

/** What a watch has said so far. */
export interface Verdict {
  readonly said: readonly string[];
  readonly first: Promise<string>;
  cancel(): void;
}

export interface WatchSetup {
  readonly clock?: Clock;
  readonly log?: OutputLog;
  readonly fromOffset?: number;
  readonly cwd?: string;
  readonly pids?: readonly number[];
}

/** Watches with what a test does not care about filled in; ends the watch with the test. */
export function watch(settings: Partial<ReadinessSettings>, setup: WatchSetup = {}): Verdict {
  const clock = setup.clock ?? createRealClock();
  const said: string[] = [];
  const first = Promise.withResolvers<string>();
  const say = (words: string) => {
    said.push(words);
    first.resolve(words);
  };
  const cancel = watchReadiness({
    settings: { within: 15_000, ...settings },
    clock,
    log: setup.log ?? createLog(clock),
    fromOffset: setup.fromOffset ?? 0,
    cwd: setup.cwd ?? '/',
    treePids: async () => setup.pids ?? [],
    onReady: () => say('ready'),
    onFailed: say,
  });
  onTestFinished(cancel);
  return { said, first: first.promise, cancel };
}

export function createLog(clock: Clock = createVirtualClock()): OutputLog {
  return createMemoryLog({ clock, maxBufferBytes: 1024 * 1024, headBytes: 0 });
}

/** Lets everything happen that needs no time, also between two looks. */
export function settle(): Promise<void> {
  return turn(5);
}

/** Runs a program in a process of its own, which is proven gone at the end of the test. */
export function run(program: string, args: readonly string[] = []): ChildProcess & { readonly pid: number } {
  const child = spawn(process.execPath, ['-e', program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('the fixture did not start');
  onTestFinished(() => endAll([pid]));
  return Object.assign(child, { pid });
}

/** Listens in the test's own process, which is in no supervised tree, until the end of the test. */
export async function holdPort(host: string, port = 0): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await listen(server, { host, port });
  onTestFinished(() => void server.close());
  return portOf(server);
}

/** A port below the range that the kernel gives out by itself, and free a moment ago. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    const server = createServer();
    const isFree = await listen(server, { port }).then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

function listen(server: Server, options: { host?: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, resolve);
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return address.port;
}
