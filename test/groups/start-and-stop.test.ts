import { expect, test } from 'vitest';
import { turn } from '../support/virtual.ts';
import { createGroupRig } from './group-rig.ts';

const line = { line: 'up' };

/** db ← api ← web, and mail beside them. */
const processes = {
  web: { command: ['web'], dependsOn: ['api'] },
  api: { command: ['api'], dependsOn: ['db'], ready: line },
  db: { command: ['db'], ready: line },
  mail: { command: ['mail'] },
} as const;

test('each starts once those before it are ready', async () => {
  await using rig = createGroupRig({ processes: structuredClone(processes) as never });
  const atOnce = rig.starts();

  rig.runOf('db').print('up\n');
  await turn();
  const withDatabase = rig.starts();
  rig.runOf('api').print('up\n');
  const readiness = await rig.group.ready();

  expect(rig.group.names).toEqual(['db', 'api', 'web', 'mail']);
  expect(atOnce).toEqual(['db#1', 'mail#1']);
  expect(withDatabase).toEqual(['db#1', 'mail#1', 'api#1']);
  expect(rig.starts()).toEqual(['db#1', 'mail#1', 'api#1', 'web#1']);
  expect(readiness).toMatchObject({ ok: true, message: 'all 4 are ready' });
  expect(rig.group.view()).toMatchObject({ state: 'up', notes: [] });
});

test('a dependency that ends before it is ready is reported', async () => {
  const { db, ...others } = structuredClone(processes);
  const oneTry = { ...db, restart: { policy: 'temporary' } };
  await using rig = createGroupRig({ processes: { db: oneTry, ...others } as never });

  rig.runOf('db').exit({ code: 3 });
  const readiness = await rig.group.ready();

  expect(rig.starts()).toEqual(['db#1', 'mail#1']);
  expect(readiness.ok).toBe(false);
  expect(readiness.members.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'db failed',
    'api notStarted',
    'web notStarted',
    'mail ready',
  ]);
  expect(readiness.message.split('\n')).toEqual([
    'db is not ready: it exited with code 3',
    'api is not started: db, which it depends on, is not ready: it exited with code 3',
    'web is not started: api is not started: db, which it depends on, is not ready: it exited with code 3',
  ]);
  expect(rig.group.view().members[1]).toMatchObject({ name: 'api', state: 'notStarted', process: null });
});

const migrated = {
  migrate: { command: ['migrate'] },
  web: { command: ['web'], dependsOn: { migrate: 'completed' } },
};

test('a one-shot holds its dependants until it has completed', async () => {
  await using rig = createGroupRig({ processes: migrated as never });
  await turn();
  const whileItRuns = rig.starts();

  rig.runOf('migrate').exit({ code: 0 });
  const readiness = await rig.group.ready();

  expect(whileItRuns).toEqual(['migrate#1']);
  expect(rig.starts()).toEqual(['migrate#1', 'web#1']);
  expect(readiness).toMatchObject({ ok: true, message: 'all 2 are ready' });
});

test('a one-shot that fails is not restarted and fails its dependants with an explanation', async () => {
  await using rig = createGroupRig({ processes: migrated as never });

  rig.runOf('migrate').exit({ code: 2 });
  const readiness = await rig.group.ready();

  expect(rig.starts()).toEqual(['migrate#1']);
  expect(readiness.message.split('\n')).toEqual([
    'migrate is not ready: it exited with code 2',
    'web is not started: migrate, which it depends on, did not complete: it exited with code 2',
  ]);
});

test('a member is stopped by its own signal', async () => {
  await using rig = createGroupRig({
    processes: { db: { command: ['db'], stopSignal: 'SIGINT' }, web: { command: ['web'] } } as never,
  });
  await rig.group.ready();

  const stopped = rig.group.stop();
  await rig.pass(6_000);

  expect((await stopped).ok).toBe(true);
  expect(['db', 'web'].map((name) => rig.runOf(name).signals)).toEqual([['SIGINT'], ['SIGTERM']]);
});

test('a dependency that is never ready keeps its dependants unstarted', async () => {
  await using rig = createGroupRig({
    processes: {
      db: { command: ['db'], ready: { line: 'up', within: '2s' } },
      api: { command: ['api'], dependsOn: ['db'] },
    },
  });

  await rig.pass(2_000);
  const readiness = await rig.group.ready();

  expect(rig.starts()).toEqual(['db#1']);
  expect(readiness.message).toMatch('db is not ready: not ready within 2s');
  expect(rig.group.get('api')).toBeUndefined();
});

test('a start that the supervisor refuses is reported', async () => {
  await using rig = createGroupRig({
    supervisor: { maxBackgroundProcesses: 1 },
    processes: {
      a: { command: ['a'], kind: 'tool' },
      b: { command: ['b'], kind: 'tool' },
      c: { command: ['c'], dependsOn: ['b'] },
    },
  });

  const readiness = await rig.group.ready();

  expect(readiness.members.map(({ state }) => state)).toEqual(['ready', 'failed', 'notStarted']);
  expect(readiness.message).toMatch('Maximum background processes (1) reached');
});

test('stop runs in reverse, each proven gone first', async () => {
  await using rig = createGroupRig({
    processes: {
      db: { command: ['db'] },
      api: { command: ['api'], dependsOn: ['db'] },
      web: { command: ['web'], dependsOn: ['api'] },
    },
  });
  await rig.group.ready();
  rig.runOf('api').obeys = (signal) => signal === 'SIGKILL';

  const stopped = rig.group.stop();
  await turn();
  const signalsBefore = rig.backend.runs.map(({ signals }) => [...signals]);
  await rig.pass(6_000);
  const report = await stopped;

  expect(signalsBefore).toEqual([[], ['SIGTERM'], ['SIGTERM']]);
  expect(report.ok).toBe(true);
  expect(report.members.map(({ name, answer }) => `${name} ${answer.type}`)).toEqual([
    'web killed',
    'api killed',
    'db killed',
  ]);
  expect(rig.runOf('api').signals).toEqual(['SIGTERM', 'SIGKILL']);
  expect(await rig.group.stop()).toBe(report);
});

test('a stop during the start starts nothing more', async () => {
  await using rig = createGroupRig({ processes: structuredClone(processes) as never });

  rig.runOf('db').print('up\n');
  const report = await rig.group.stop();
  const end = await rig.group.ended;

  expect(rig.starts()).toEqual(['db#1', 'mail#1']);
  expect(report.members.map(({ name }) => name)).toEqual(['mail', 'db']);
  expect(end.members.map(({ name, end: each }) => `${name} ${each?.status ?? null}`)).toEqual([
    'db killed',
    'api null',
    'web null',
    'mail killed',
  ]);
  expect(rig.group.view().state).toBe('ended');
});

test('a group is ended when all its processes are', async () => {
  await using rig = createGroupRig({
    processes: { a: { command: ['a'] }, b: { command: ['b'], restart: { policy: 'temporary' } } },
  });
  let hasEnded = false;
  void rig.group.ended.then(() => {
    hasEnded = true;
  });

  rig.runOf('a').exit();
  await turn();
  const early = hasEnded;
  rig.runOf('b').exit({ code: 1 });
  const { message } = await rig.group.ended;

  expect(early).toBe(false);
  expect(message).toBe('a exited with code 0\nb exited with code 1');
});
