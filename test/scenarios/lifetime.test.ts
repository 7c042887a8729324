import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test, vi } from 'vitest';
import { createVirtualClock } from '../../src/testing/index.ts';
import {
  carriers,
  commandOf,
  endAll,
  fixtureProgram,
  groupOf,
  isAlive,
  tempDir,
  waitUntil,
  watchdogsOf,
} from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { createVirtualHarness } from '../support/virtual.ts';

interface Host {
  readonly child: ChildProcess;
  readonly supervisorId: string;
  readonly file: (name: string) => string;
  /** Resolves with how the host ended. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  /** The next line it prints. */
  line(): Promise<string>;
  alive(): number[];
  end(): Promise<void>;
}

const hosts: Promise<Host>[] = [];

/** Every host is a Node of its own. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

afterEach(async () => {
  // One that is not up yet, too: its test may have ended early.
  for (let next = hosts.shift(); next !== undefined; next = hosts.shift())
    await (await next.catch(() => null))?.end();
});

function startHost(...how: Parameters<typeof openHost>): Promise<Host> {
  const host = openHost(...how);
  hosts.push(host);
  return host;
}

/** A program with a supervisor, see fixtures/programs/supervised-host.ts. */
async function openHost(what: string, options: { graceMs?: number; directory?: string } = {}): Promise<Host> {
  const directory = tempDir();
  const place = options.directory ?? directory.path;
  const program = fixtureProgram('supervised-host.ts');
  const child = spawn(process.execPath, [program, place, what, String(options.graceMs ?? 300)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the host said nothing more');
    return value;
  };
  const supervisorId = (await line()).split(' ')[1] ?? '';
  return {
    child,
    supervisorId,
    file: (name) => `${place}/${supervisorId}.${name}`,
    ended,
    line,
    alive: () => carriers(`/${supervisorId}/`),
    end: async () => {
      child.kill('SIGKILL');
      await ended;
      await endAll([], `/${supervisorId}/`);
      directory.remove();
    },
  };
}

/** That nothing is alive now: nothing that carries its name, and no grandchild in a session of its own. */
function expectNothingLeft(host: Host): void {
  expect(host.alive()).toEqual([]);
  expect(grandchildrenOf(host)).toEqual([]);
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends everything and keeps its exit code',
  async (signal) => {
    const host = await startHost('wait');
    expect(host.alive().length).toBeGreaterThanOrEqual(3);
    expect(grandchildrenOf(host)).toHaveLength(1);

    host.child.kill(signal);

    expect(await host.ended).toEqual({ code: 128 + constants.signals[signal], signal: null });
    expectNothingLeft(host);
  },
);

test('an uncaught exception ends everything with code 1', async () => {
  const host = await startHost('throw');

  expect(await host.ended).toEqual({ code: 1, signal: null });
  expectNothingLeft(host);
});

test('a second signal does not wait for the shutdown', async () => {
  const host = await startHost('wait', { graceMs: 3_600_000 });

  host.child.kill('SIGINT');
  await waitUntil(() => host.alive().length < 3);
  host.child.kill('SIGINT');

  expect(await host.ended).toEqual({ code: 130, signal: null });
  await waitUntil(() => host.alive().length === 0);
  expectNothingLeft(host);
});

test('a killed program leaves no process behind', async () => {
  for (let round = 0; round < 3; round += 1) {
    const pair = await Promise.all([startHost('spawn'), startHost('spawn')]);

    await Promise.all(
      pair.map(async (host, index) => {
        await waitUntil(() => existsSync(host.file(String(2 * round + index))));
        host.child.kill('SIGKILL');
        await host.ended;
        await waitUntil(() => host.alive().length === 0 && watchdogsOf(host.supervisorId).length === 0);
      }),
    );

    for (const host of pair) expectNothingLeft(host);
  }
});

test('a supervisor replaces its watchdog', async () => {
  const host = await startHost('wait');
  const [first = 0] = watchdogsOf(host.supervisorId);
  process.kill(first, 'SIGKILL');
  await waitUntil(() => watchdogsOf(host.supervisorId).some((pid) => pid !== first));

  host.child.kill('SIGKILL');
  await host.ended;
  await waitUntil(() => host.alive().length === 0);

  expectNothingLeft(host);
  await waitUntil(() => watchdogsOf(host.supervisorId).length === 0);
});

test('two supervisors in one directory leave each other alone', async () => {
  using directory = tempDir();
  const [dying, living] = await Promise.all(
    [1, 2].map(() => startHost('wait', { directory: directory.path })),
  );
  if (dying === undefined || living === undefined) throw new Error('two were started');
  const before = leadersOf(living);

  dying.child.kill('SIGTERM');
  await dying.ended;

  expect(dying.alive()).toEqual([]);
  expect(before.length).toBeGreaterThanOrEqual(3);
  expect(leadersOf(living)).toEqual(before);
  living.child.kill('SIGKILL');
  await living.ended;
  await waitUntil(() => living.alive().length === 0);
});

test('an inner shutdown leaves the outer alone', async () => {
  await using stage = openRealHarness();
  const neighbour = stage.supervisor.start({ command: ['sleep', '100'], background: true });
  const inner = stage.supervisor.start({
    command: [process.execPath, fixtureProgram('supervised-host.ts'), stage.directory, 'shutdown'],
    background: true,
  });

  await waitUntil(() => inner.read().text.includes('down'));

  const [, innerId = ''] = inner.read().text.split(/\s/);
  expect(inner.read().text).toContain('down 0');
  expect(carriers(`/${innerId}/`)).toEqual([]);
  expect(stage.alive(neighbour.id)).toHaveLength(1);
  expect(inner.status).toBe('backgrounded');
  await inner.kill();
});

test('an outer kill takes all that an inner one started', async () => {
  await using stage = openRealHarness();
  const inner = stage.supervisor.start({
    command: [process.execPath, fixtureProgram('supervised-host.ts'), stage.directory, 'wait', '3600000'],
    background: true,
  });
  await waitUntil(() => inner.read().text.includes('ready'));
  const [, innerId = ''] = inner.read().text.split(/\s/);
  expect(carriers(`/${innerId}/`).length).toBeGreaterThanOrEqual(3);

  const answer = await inner.kill({ grace: 500 });

  expect(answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  expect(carriers(`/${innerId}/`)).toEqual([]);
  expect(grandchildrenIn(stage.directory, innerId)).toEqual([]);
  await waitUntil(() => watchdogsOf(innerId).length === 0);
});

test('a daemon that drops its environment after the exit is a leftover', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: "setsid sh -c 'sleep 1; exec env -i sleep 1000' &",
    ...{ background: true, drainQuiet: 2_500, drainMax: 20_000 },
  });

  const { leftovers } = await handle.ended;
  const [daemon] = leftovers;
  await handle.kill();

  expect(leftovers).toMatchObject([{ command: 'sleep 1000' }]);
  expect(isAlive(daemon?.pid ?? 0)).toBe(false);
});

test('a shutdown ends trees and leftovers in its time', async () => {
  const stage = openRealHarness({ shutdownGrace: 300, killGrace: '1h' });
  const { supervisor } = stage;
  for (const name of ['ignores-term', 'setsid-grandchild', 'double-fork', 'leaves-daemon', 'bare-child']) {
    supervisor.start({ command: [fixtureProgram(`${name}.sh`), stage.file(name)], background: true });
    await waitUntil(() => existsSync(stage.file(name)));
  }
  const bare = Number(readFileSync(stage.file('bare-child'), 'utf8'));
  await waitUntil(() => supervisor.list().some(({ status }) => status === 'completed'));

  const report = await supervisor.shutdown();

  expect(report.survivors).toEqual([]);
  expect(report.ended).toHaveLength(5);
  expect(stage.alive()).toEqual([]);
  expect(isAlive(bare)).toBe(false);
  await waitUntil(() => watchdogsOf(supervisor.id).length === 0);
  await stage[Symbol.asyncDispose]();
});

test('a wall clock set forward times nothing out', async () => {
  const clock = createVirtualClock();
  let jumpMs = 0;
  const jumping = { ...clock, epochMs: () => clock.epochMs() + jumpMs };
  await using rig = createVirtualHarness({ clock: jumping });
  const { supervisor } = rig;
  const foreground = supervisor.start({ command: 'x' });
  const background = supervisor.start({ command: 'y', background: true, ready: { alive: '1h' } });

  jumpMs = 3_600_000;
  clock.advance(1_000);

  expect([foreground.status, background.status]).toEqual(['running', 'backgrounded']);
  expect(background.view()).toMatchObject({ runtimeMs: 1_000, ready: { state: 'waiting' } });
});

test('sixty-four idle processes cost next to nothing', async () => {
  const host = await startHost('idle');

  const [, share, before, after] = (await host.line()).split(' ');

  expect(Number(share)).toBeLessThan(0.01);
  expect(after).toBe(before);
});

/** Those of its processes that lead a group and do not end by themselves: what they start comes and goes. */
function leadersOf(host: Host): number[] {
  return host.alive().filter((pid) => {
    return groupOf(pid) === pid && !commandOf(pid).some((word) => word.includes('grandchild-marker'));
  });
}

function grandchildrenOf({ file, supervisorId }: Host): number[] {
  return grandchildrenIn(dirname(file('x')), supervisorId);
}

/** Those in sessions of their own that are alive, by the numbers that they wrote down: a number may be another's by now. */
function grandchildrenIn(directory: string, supervisorId: string): number[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith(`${supervisorId}.`))
    .map((name) => Number(textOf(join(directory, name))))
    .filter((pid) => pid > 1 && isAlive(pid) && commandOf(pid).some((word) => word.includes(supervisorId)));
}

/** Empty once the process is gone. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
