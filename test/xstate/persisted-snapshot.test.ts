import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AnyActorRef, assign, createActor, type Snapshot, setup } from 'xstate';
import type { FinalView, Supervisor } from '../../src/index.ts';
import { type ProcessActorInput, processLogic } from '../../src/xstate/index.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

/** A deployment of a user, which begins at once. */
function createDeployment(supervisor: Supervisor, spec: ProcessActorInput) {
  return setup({
    types: { context: {} as { end: FinalView | null }, events: {} as { type: 'CANCEL' } },
    actors: { process: processLogic(supervisor) },
  }).createMachine({
    context: { end: null },
    initial: 'deploying',
    states: {
      deploying: {
        invoke: {
          src: 'process',
          id: 'deploy',
          input: spec,
          onDone: { target: 'over', actions: assign(({ event }) => ({ end: event.output })) },
        },
        on: { CANCEL: 'cancelled' },
      },
      over: {},
      cancelled: {},
    },
  });
}

/** The snapshot as a database keeps it. */
function save(actor: AnyActorRef & { getPersistedSnapshot(): unknown }): Snapshot<unknown> {
  return JSON.parse(JSON.stringify(actor.getPersistedSnapshot()));
}

const persistent: ProcessActorInput = { command: ['deploy'], lifetime: 'persistent' };

test('a restored machine finds its process under the next supervisor', async () => {
  const { open } = openDirectoryHarness({ recordsIn: 'files' });
  const first = open();
  const before = createActor(createDeployment(first.supervisor, persistent)).start();
  await turn();
  const snapshot = save(before);
  before.stop();
  await first.supervisor.shutdown();

  await using second = open();
  const after = createActor(createDeployment(second.supervisor, persistent), { snapshot }).start();
  expect(after.getSnapshot().value).toBe('deploying');
  expect(second.backend.lastRun.isAdopted).toBe(true);
  second.backend.lastRun.exit({ code: 4 });
  await turn();

  expect(second.backend.runs).toHaveLength(1);
  expect(after.getSnapshot()).toMatchObject({
    value: 'over',
    context: { end: { id: first.backend.lastRun.request.id, status: 'failed', exit: { code: 4 } } },
  });
});

test('a restored machine can still kill its process', async () => {
  const { open } = openDirectoryHarness({ recordsIn: 'files' });
  const first = open();
  const before = createActor(createDeployment(first.supervisor, persistent)).start();
  const snapshot = save(before);
  before.stop();
  await first.supervisor.shutdown();
  await using second = open();
  const after = createActor(createDeployment(second.supervisor, persistent), { snapshot }).start();

  after.send({ type: 'CANCEL' });
  await turn();

  expect(second.backend.lastRun).toMatchObject({ isAdopted: true, signals: ['SIGTERM'] });
});

test('a process that ended meanwhile is done in the restored machine', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend } = rig;
  const before = createActor(
    createDeployment(supervisor, { command: ['deploy'], onLeave: 'detach' }),
  ).start();
  const snapshot = save(before);
  before.stop();
  backend.lastRun.exit();
  await turn();

  const after = createActor(createDeployment(supervisor, { command: ['deploy'] }), { snapshot }).start();
  await turn();

  expect(backend.runs).toHaveLength(1);
  expect(after.getSnapshot()).toMatchObject({ value: 'over', context: { end: { status: 'completed' } } });
});

test('a process that no supervisor knows is lost, and is not started again', async () => {
  const first = createVirtualHarness();
  const before = createActor(createDeployment(first.supervisor, { command: ['deploy'] })).start();
  const snapshot = save(before);
  before.stop();
  await first.supervisor.shutdown();

  await using second = createVirtualHarness();
  const after = createActor(createDeployment(second.supervisor, { command: ['deploy'] }), {
    snapshot,
  }).start();

  expect(second.backend.runs).toHaveLength(0);
  const { id } = first.backend.lastRun.request;
  expect(after.getSnapshot()).toMatchObject({
    value: 'over',
    context: {
      end: {
        ...{ id, status: 'lost', commandLine: 'deploy', exit: null },
        reason: { type: 'lost', why: expect.stringContaining('its supervisor does not know it') },
      },
    },
  });
});

test('a machine that was persisted before it was started starts its process when restored', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend } = rig;
  const machine = createDeployment(supervisor, { command: ['deploy'] });
  const snapshot = save(createActor(machine));
  expect(backend.runs).toHaveLength(0);

  const actor = createActor(machine, { snapshot }).start();

  expect(backend.runs).toHaveLength(1);
  actor.stop();
});

test('a machine whose snapshot was lost runs a command with an id once', async () => {
  const { open } = openDirectoryHarness({ recordsIn: 'files' });
  const spec: ProcessActorInput = { ...persistent, id: 'deploy-7' };
  const first = open();
  const before = createActor(createDeployment(first.supervisor, spec)).start();
  before.stop();
  await first.supervisor.shutdown();

  await using second = open();
  const after = createActor(createDeployment(second.supervisor, spec)).start();
  second.backend.lastRun.exit();
  await turn();

  expect(second.backend.runs.map(({ isAdopted }) => isAdopted)).toEqual([true]);
  expect(after.getSnapshot().context.end).toMatchObject({ id: 'deploy-7', status: 'completed' });
});

test('a process with an id that has ended is done at once in another machine', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend } = rig;
  const spec: ProcessActorInput = { command: ['deploy'], id: 'deploy-7' };
  createActor(createDeployment(supervisor, spec)).start();
  backend.lastRun.exit({ code: 1 });
  await turn();

  const again = createActor(createDeployment(supervisor, spec)).start();
  await turn();

  expect(backend.runs).toHaveLength(1);
  expect(again.getSnapshot()).toMatchObject({ value: 'over', context: { end: { status: 'failed' } } });
});

test('the snapshot of a started process has no secrets', async () => {
  await using rig = createVirtualHarness();
  const spec = { command: ['deploy'], secrets: { TOKEN: 'hunter2' } };

  const actor = createActor(createDeployment(rig.supervisor, spec)).start();

  const text = JSON.stringify(actor.getPersistedSnapshot());
  expect(text).toContain('"commandLine":"deploy"');
  expect(text).not.toContain('hunter2');
  actor.stop();
});

test('a command of a restored machine has run once', async () => {
  await using first = openRealHarness();
  const { directory: cwd, file, stateDirectory } = first;
  const spec: ProcessActorInput = {
    command: 'echo run >> runs; until [ -e go ]; do sleep 0.1; done; exit 3',
    lifetime: 'persistent',
    cwd,
  };
  const before = createActor(createDeployment(first.supervisor, spec)).start();
  await waitUntil(() => existsSync(file('runs')), { what: 'the command runs' });
  const snapshot = save(before);
  before.stop();
  await first.supervisor.shutdown();

  await using second = openRealHarness({ cwd, stateDirectory });
  const after = createActor(createDeployment(second.supervisor, spec), { snapshot }).start();
  writeFileSync(file('go'), '');
  const end = await waitUntil(() => after.getSnapshot().context.end, { what: 'the end is known' });

  expect(end).toMatchObject({ status: 'failed', exit: { code: 3 }, lifetime: 'persistent' });
  expect(readFileSync(file('runs'), 'utf8')).toBe('run\n');
});
