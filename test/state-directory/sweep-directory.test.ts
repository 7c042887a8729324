import { existsSync, mkdirSync, readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Peer } from '../../src/control/protocol.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import { createDirectoryDeps, type DirectoryDeps } from '../../src/state-directory/directory-deps.ts';
import { sweepDirectory } from '../../src/state-directory/sweep-directory.ts';
import type { SupervisorState } from '../../src/store/supervisor-registry.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { endedRecord, writeRecord } from './records.ts';

const nowAt = 30 * 86_400_000;
const retentionMs = 30 * 60_000;
const logRetentionMs = 7 * 86_400_000;

/** Answers of a supervisor: its processes, and the number that it has forgotten. */
interface Answers {
  readonly list?: readonly ProcessView[] | Error;
  readonly sweep?: number | Error;
}

/** Opens a state directory with these supervisors; those that are not named are dead. */
function openPlace({
  peers = {},
  states = {},
}: {
  readonly peers?: Readonly<Record<string, Answers>>;
  readonly states?: Readonly<Record<string, SupervisorState>>;
} = {}) {
  const place = tempDir();
  const directory = place.file('state');
  const processes = join(directory, 'processes');
  mkdirSync(processes, { recursive: true, mode: 0o700 });
  const all = Object.keys(peers).map((id) => ({ id, pid: 7 }) as Peer);
  const registered: Readonly<Record<string, SupervisorState>> = {
    ...Object.fromEntries(all.map(({ id }) => [id, 'alive'])),
    ...states,
  };
  const unregistered: string[] = [];
  const deps = {
    ...createDirectoryDeps({ directory, clock: createVirtualClock({ epochMs: nowAt }) }),
    resolveStatus: async ({ view }: { view: ProcessView }) => ({ type: 'ended', view }),
    peers: {
      list: () => all,
      ask: async ({ id }: Peer, { method }: { method: 'list' | 'sweep' }) => {
        const answer = peers[id]?.[method];
        if (answer instanceof Error) throw answer;
        return method === 'list' ? (answer ?? []) : { forgotten: answer ?? 0 };
      },
    },
    registry: {
      list: () => Object.entries(registered).map(([id, state]) => ({ entry: { id }, state })),
      stateOf: (id: string) => registered[id] ?? 'dead',
      unregister: (id: string) => unregistered.push(id),
    },
  } as unknown as DirectoryDeps;
  return {
    /** Writes a file that was changed before `ageMs`. */
    write: (name: string, { ageMs = 0, text = '' } = {}) => {
      writeFileSync(join(processes, name), text);
      const changedAtS = (nowAt - ageMs) / 1_000;
      utimesSync(join(processes, name), changedAtS, changedAtS);
    },
    /** Writes the record of a process that ended before `ageMs`. */
    end: (id: string, { ageMs, supervisorId, ...more }: { ageMs: number } & Record<string, unknown>) =>
      writeRecord(
        directory,
        {
          ...endedRecord(id, { endedAt: nowAt - ageMs, ...more }),
          ...(supervisorId !== undefined && { supervisorId }),
        },
        id,
      ),
    left: () => readdirSync(processes).sort(),
    path: (name: string) => join(processes, name),
    unregistered,
    sweep: (options: { all?: boolean; dryRun?: boolean } = {}) =>
      sweepDirectory(deps, { all: false, dryRun: false, ...options }),
    [Symbol.dispose]: place.remove,
  };
}

test('a process past its retention loses its record, and keeps its log', async () => {
  using place = openPlace();
  for (const name of ['tool_old22222.log', 'tool_old22222.status']) place.write(name);
  place.end('tool_old22222', { ageMs: retentionMs + 1 });
  place.end('tool_new22222', { ageMs: retentionMs });

  const swept = await place.sweep();

  expect(swept).toMatchObject({ forgotten: 1, logsRemoved: 0, warnings: [] });
  expect(place.left()).toEqual(['tool_new22222.json', 'tool_old22222.log']);
});

test('a sweep of all takes every file of an ended process', async () => {
  using place = openPlace();
  const text = 'x'.repeat(10_000);
  const endings = ['log', 'log.tail', 'log.times', 'screen', 'status'];
  for (const ending of endings) place.write(`tool_a2222222.${ending}`, { text });
  place.end('tool_a2222222', { ageMs: 1 });

  const dry = await place.sweep({ all: true, dryRun: true });
  const leftByDry = place.left();
  const swept = await place.sweep({ all: true });

  expect(leftByDry).toHaveLength(6);
  expect(dry).toEqual(swept);
  expect(swept).toMatchObject({ forgotten: 1, logsRemoved: 1 });
  expect(swept.freedBytes).toBeGreaterThan(5 * 10_000);
  expect(place.left()).toEqual([]);
});

test('an old output without a record is removed with what belongs to it', async () => {
  using place = openPlace();
  const ageMs = logRetentionMs + 1_000;
  for (const name of ['old.log', 'old.log.tail', 'old.log.times', 'old.screen']) place.write(name, { ageMs });
  place.write('young.log', { ageMs: logRetentionMs });
  place.write('known.log', { ageMs });
  place.write('known.json', { ageMs, text: 'damaged' });

  const dry = await place.sweep({ dryRun: true });
  const swept = await place.sweep();

  expect(dry).toEqual(swept);
  expect(swept).toMatchObject({ forgotten: 0, logsRemoved: 1 });
  expect(place.left()).toEqual(['known.json', 'known.log', 'young.log']);
});

test('files of other names are left to their writers', async () => {
  using place = openPlace();
  const names = ['.hidden.log', 'tool_a.json.12.tmp', 'tool_a.log.bak'];
  for (const name of names) place.write(name, { ageMs: logRetentionMs + 1_000 });

  const swept = await place.sweep({ all: true });

  expect(swept).toMatchObject({ forgotten: 0, logsRemoved: 0, freedBytes: 0 });
  expect(place.left()).toEqual(names);
});

test('a process that is not over for this program stays', async () => {
  using place = openPlace({ states: { sup_mute2222: 'alive', sup_far22222: 'elsewhere' } });
  const ageMs = retentionMs + 1;
  const leftover = { pid: 7, pgid: 7, startedAt: '1', command: 'sleep' };
  place.end('tool_mute2222', { ageMs, supervisorId: 'sup_mute2222' });
  place.end('tool_far22222', { ageMs, supervisorId: 'sup_far22222' });
  place.end('tool_left2222', { ageMs, leftovers: [leftover] });

  const swept = await place.sweep({ all: true });

  expect(swept).toMatchObject({ forgotten: 0, freedBytes: 0 });
  expect(place.left()).toEqual(['tool_far22222.json', 'tool_left2222.json', 'tool_mute2222.json']);
});

test('supervisors sweep their own processes', async () => {
  const { view } = endedRecord('tool_own22222');
  using place = openPlace({
    peers: { sup_a2222222: { list: [view], sweep: 2 }, sup_b2222222: { sweep: 1 } },
  });
  place.end('tool_own22222', { ageMs: retentionMs + 1, supervisorId: 'sup_a2222222' });
  place.end('tool_dead2222', { ageMs: retentionMs + 1 });

  const dry = await place.sweep({ dryRun: true });
  const swept = await place.sweep();

  expect(dry.forgotten).toBe(2);
  expect(swept).toMatchObject({ forgotten: 4, warnings: [] });
  // This supervisor removes nothing.
  expect(place.left()).toEqual(['tool_own22222.json']);
});

test('a supervisor that does not answer is warned of while it is alive', async () => {
  const mute = { list: [], sweep: new Error('it is busy') };
  using place = openPlace({
    peers: { sup_mute2222: mute, sup_gone2222: mute, sup_a2222222: { sweep: 3 } },
    states: { sup_gone2222: 'dead' },
  });

  expect(await place.sweep()).toEqual({
    ...{ forgotten: 3, logsRemoved: 0, freedBytes: 0 },
    warnings: [
      'Supervisor sup_mute2222 (pid 7) could not be asked, so its processes were not swept: it is busy',
    ],
  });
});

test('entries of dead supervisors are removed, but not by a dry run', async () => {
  using place = openPlace({ states: { sup_dead2222: 'dead', sup_far22222: 'elsewhere' } });

  await place.sweep({ dryRun: true });
  const unregisteredByDry = [...place.unregistered];
  await place.sweep();

  expect(unregisteredByDry).toEqual([]);
  expect(place.unregistered).toEqual(['sup_dead2222']);
});

test('a sparse log frees only what it occupies', async () => {
  using place = openPlace();
  place.write('old.log');
  truncateSync(place.path('old.log'), 64 * 1024 * 1024);
  place.write('small.log', { text: 'x'.repeat(10_000), ageMs: logRetentionMs + 1_000 });
  utimesSync(place.path('old.log'), 1, 1);

  const { logsRemoved, freedBytes } = await place.sweep();

  expect([logsRemoved, existsSync(place.path('old.log'))]).toEqual([2, false]);
  expect(freedBytes).toBeGreaterThanOrEqual(10_000);
  expect(freedBytes).toBeLessThan(1024 * 1024);
});

test('a directory without processes has nothing to sweep', async () => {
  using place = tempDir();
  const deps = createDirectoryDeps({ directory: place.file('none'), clock: createVirtualClock() });

  expect(await sweepDirectory(deps, { all: true, dryRun: false })).toEqual({
    ...{ forgotten: 0, logsRemoved: 0, freedBytes: 0, warnings: [] },
  });
});
