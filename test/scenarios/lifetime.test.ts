import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createScriptedBackend, createVirtualClock } from '../../src/testing/index.ts';
import { carriers, endAll, fixtureProgram, isAlive, tempDir, waitUntil } from '../fixtures/os.ts';
import { openStage } from './stage.ts';

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

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.end();
});

/** A program with a supervisor, see fixtures/programs/supervised-host.ts. */
async function startHost(
  what: string,
  options: { graceMs?: number; directory?: string } = {},
): Promise<Host> {
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
  const host: Host = {
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
  hosts.push(host);
  return host;
}

/** That nothing is alive now, and that nothing has made its marker. */
function expectNothingLeft(host: Host): void {
  expect(host.alive()).toEqual([]);
  const markers = readdirSync(host.file('.').slice(0, -host.supervisorId.length - 2));
  expect(markers.filter((name) => name.startsWith(host.supervisorId) && name.endsWith('.survived'))).toEqual(
    [],
  );
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends everything and keeps its exit code',
  async (signal) => {
    const host = await startHost('wait');
    expect(host.alive().length).toBeGreaterThanOrEqual(3);

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

test('nothing survives a killed program with a supervisor', { timeout: 60_000 }, async () => {
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
  await using stage = openStage();
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
  await using stage = openStage();
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
  expect(readdirSync(stage.directory).filter((name) => name.endsWith('.survived'))).toEqual([]);
  await waitUntil(() => watchdogsOf(innerId).length === 0);
});

test('a shutdown ends trees and leftovers in its time', async () => {
  const stage = openStage({ shutdownGrace: 300, killGrace: '1h' });
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
  expect(watchdogsOf(supervisor.id)).toEqual([]);
  await stage[Symbol.asyncDispose]();
});

test('a wall clock set forward times nothing out', async () => {
  const clock = createVirtualClock();
  let jumpMs = 0;
  const jumping = { ...clock, epochMs: () => clock.epochMs() + jumpMs };
  await using supervisor = createSupervisor({
    clock: jumping,
    backend: createScriptedBackend(),
    stateDirectory: false,
  });
  const foreground = supervisor.start({ command: 'x' });
  const background = supervisor.start({ command: 'y', background: true, ready: { alive: '1h' } });

  jumpMs = 3_600_000;
  clock.advance(1_000);

  expect([foreground.status, background.status]).toEqual(['running', 'backgrounded']);
  expect(background.view()).toMatchObject({ runtimeMs: 1_000, ready: { state: 'waiting' } });
});

test('sixty-four idle processes cost next to nothing', { timeout: 60_000 }, async () => {
  const host = await startHost('idle');

  const [, share, before, after] = (await host.line()).split(' ');

  expect(Number(share)).toBeLessThan(0.01);
  expect(after).toBe(before);
});

/** Those of its processes that lead a group: what they start comes and goes. */
function leadersOf(host: Host): number[] {
  return host.alive().filter((pid) => {
    const stat = textOf(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === pid;
  });
}

/** By their command line: they carry no cookie. */
function watchdogsOf(supervisorId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const words = commandOf(pid);
      return isAlive(pid) && words.includes('troupe-watchdog') && words.includes(supervisorId);
    });
}

function commandOf(pid: number): string[] {
  return textOf(`/proc/${pid}/cmdline`).split('\0');
}

/** Empty once the process is gone. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
