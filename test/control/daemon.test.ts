import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/clock/clock.ts';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { connectControl } from '../../src/control/control-client.ts';
import { serveDaemon } from '../../src/control/daemon.ts';
import { ensureDaemon } from '../../src/control/ensure-daemon.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import {
  carriers,
  commandOf,
  endAll,
  fixtureProgram,
  isAlive,
  listPids,
  tempDir,
  waitUntil,
} from '../support/os.ts';

const program = fixtureProgram('serves.ts');

/** A state directory whose daemons end with the test. */
function openDaemonStage(idleMs: number) {
  const place = tempDir();
  const directory = place.file('state');
  const roll = createFileSupervisorRegistry({ directory });
  process.env['DAEMON_IDLE_MS'] = String(idleMs);
  const daemons = () => roll.list().filter(({ entry }) => entry.role === 'daemon');
  const pids = new Set<number>();
  return {
    directory,
    place,
    daemons,
    ensure: async () => {
      const client = await ensureDaemon({ directory, program });
      for (const { entry } of daemons()) pids.add(entry.pid);
      return client;
    },
    pids,
    [Symbol.asyncDispose]: async () => {
      delete process.env['DAEMON_IDLE_MS'];
      // The second daemon may still be checking for the first.
      await endAll(findMentions(directory));
      place.remove();
    },
  };
}

/** Finds processes whose command line names the directory. */
function findMentions(directory: string): number[] {
  return listPids().filter((pid) => commandOf(pid).slice(1).includes(directory));
}

test('callers at the same time get one and the same daemon', async () => {
  await using stage = openDaemonStage(60_000);

  const clients = await Promise.all(Array.from({ length: 5 }, () => stage.ensure()));

  expect(new Set(clients.map(({ supervisorId }) => supervisorId)).size).toBe(1);
  await waitUntil(() => stage.daemons().length === 1);
  for (const client of clients) client.close();
}, 60_000);

test("a process of the daemon outlives the caller, in the caller's environment", async () => {
  await using stage = openDaemonStage(60_000);
  process.env['CALLER'] = 'here';
  const client = await stage.ensure();

  const view = await client.start({ command: 'echo "$CALLER"; sleep 1000', background: true });
  client.close();
  const state = openStateDirectory({ directory: stage.directory });
  const read = await waitUntil(async () => {
    const { text } = await state.read(view.id);
    return text === '' ? null : text;
  });
  const answer = await state.kill(view.id);

  expect(read).toBe('here\n');
  expect(answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  expect(carriers(`/${view.id}/`)).toEqual([]);
  state.close();
  delete process.env['CALLER'];
}, 60_000);

test('an idle daemon ends and leaves only records and logs', async () => {
  await using stage = openDaemonStage(300);
  const client = await stage.ensure();
  const [pid = 0] = stage.pids;
  const { id } = await client.start({ command: 'echo moin', background: true });
  const isHeldByClient = isAlive(pid);
  client.close();

  await waitUntil(() => !isAlive(pid), { withinMs: 20_000 });

  expect(isHeldByClient).toBe(true);
  expect(readdirSync(join(stage.directory, 'supervisors'))).toEqual(['daemon.log']);
  expect(readdirSync(join(stage.directory, 'processes')).sort()).toEqual([
    ...[`${id}.json`, `${id}.log`, `${id}.log.times`],
  ]);
  expect(readFileSync(join(stage.directory, 'supervisors', 'daemon.log'), 'utf8')).toBe('');
}, 60_000);

test('a daemon stays while a process is alive', async () => {
  await using stage = openDaemonStage(100);
  const client = await stage.ensure();
  const [pid = 0] = stage.pids;
  const { id } = await client.start({ command: 'sleep 1.5', background: true });
  client.close();
  const state = openStateDirectory({ directory: stage.directory });

  const end = await state.wait(id);
  const outlivedIt = isAlive(pid);
  state.close();

  expect([end.status, outlivedIt]).toEqual(['completed', true]);
  await waitUntil(() => !isAlive(pid), { withinMs: 20_000 });
}, 60_000);

test('a daemon ends in order on request', async () => {
  await using stage = openDaemonStage(60_000);
  const client = await stage.ensure();
  const [pid = 0] = stage.pids;
  const { id } = await client.start({ command: ['sleep', '1000'], background: true });

  await client.shutdown();
  await waitUntil(() => !isAlive(pid), { withinMs: 20_000 });

  expect(carriers(`/${id}/`)).toEqual([]);
  expect(readdirSync(join(stage.directory, 'supervisors'))).toEqual(['daemon.log']);
}, 60_000);

test('a client that leaves after the end keeps nothing', async () => {
  using place = tempDir();
  const { clock, armed } = createWatchedClock();
  const ready = Promise.withResolvers<() => void>();
  const ended = serveDaemon({
    directory: place.path,
    idleMs: 600_000,
    clock,
    supervisor: { handleSignals: false },
    onReady: ({ end }) => ready.resolve(end),
  });
  const end = await ready.promise;
  const [daemon] = createFileSupervisorRegistry({ directory: place.path }).list();
  const client = await connectControl(daemon?.entry.socket ?? '');
  await client.call('hello', {}, { deadlineMs: 10_000 });

  end();
  await ended;
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();

  expect(armed.size).toBe(0);
}, 60_000);

/** Tells which of its timers keep the program. */
function createWatchedClock() {
  const real = createRealClock();
  const armed = new Set<() => void>();
  const at: Clock['at'] = (atMs, callback, options) => {
    const call = () => {
      armed.delete(call);
      callback();
    };
    if (options?.idle !== true) armed.add(call);
    const cancel = real.at(atMs, call, options);
    return () => {
      armed.delete(call);
      cancel();
    };
  };
  return { armed, clock: { ...real, at } };
}

test('a removed state directory is restored under its daemon', async () => {
  await using stage = openDaemonStage(60_000);
  const client = await stage.ensure();
  const [pid = 0] = stage.pids;
  const { id } = await client.start({ command: ['sleep', '1000'], lifetime: 'persistent', background: true });
  const state = openStateDirectory({ directory: stage.directory });
  await waitUntil(async () => (await state.show(id)).view.status === 'backgrounded');

  rmSync(stage.directory, { recursive: true });
  const [seen] = await waitUntil(
    async () => {
      const { processes } = await state.list({ onlyLive: true });
      return processes.some(({ answered }) => answered) ? processes : null;
    },
    { withinMs: 20_000 },
  );

  expect(seen).toMatchObject({ view: { id, status: 'backgrounded' } });
  expect(stage.daemons()).toMatchObject([{ entry: { pid }, state: 'alive' }]);
  expect(await state.kill(id)).toMatchObject({ type: 'killed' });
  expect(carriers(`/${id}/`)).toEqual([]);
  state.close();
  await client.shutdown();
  await waitUntil(() => !isAlive(pid), { withinMs: 20_000 });
}, 60_000);

test('a daemon ends with its workspace, and all that it holds', async () => {
  await using stage = openDaemonStage(60_000);
  const workspace = stage.place.file('project');
  mkdirSync(workspace);
  const client = await ensureDaemon({ directory: join(workspace, '.troupe'), program });
  const roll = createFileSupervisorRegistry({ directory: join(workspace, '.troupe') });
  const pid = roll.list()[0]?.entry.pid ?? 0;
  const { id } = await client.start({ command: ['sleep', '1000'], lifetime: 'persistent', background: true });

  rmSync(workspace, { recursive: true });

  await waitUntil(() => !isAlive(pid), { withinMs: 20_000 });
  expect(carriers(`/${id}/`)).toEqual([]);
  expect(existsSync(workspace)).toBe(false);
  client.close();
}, 60_000);

test('a killed daemon is replaced', async () => {
  await using stage = openDaemonStage(60_000);
  const first = await stage.ensure();
  const [pid = 0] = stage.pids;
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => !isAlive(pid));

  const second = await stage.ensure();

  expect(second.supervisorId).not.toBe(first.supervisorId);
  first.close();
  second.close();
}, 60_000);

test('a daemon that does not start reports why', async () => {
  using place = tempDir();
  const directory = place.file('state');
  const broken = fixtureProgram('../nowhere.ts');

  const refusal = await ensureDaemon({ directory, program: broken }).catch(({ code, message }) => ({
    code,
    message,
  }));

  expect(refusal).toMatchObject({ code: 'unreachable' });
  expect(refusal).toMatchObject({
    message: expect.stringMatching(/could not be started: it exited with code 1.*Cannot find module/s),
  });
});
