import { describe, expect, expectTypeOf, test } from 'vitest';
import { assign, createActor, type OutputFrom, sendTo, setup } from 'xstate';
import type { CommandSpec, ShutdownReport, Supervisor, SupervisorOptions } from '../../src/index.ts';
import { createScriptedBackend, createVirtualClock } from '../../src/testing/index.ts';
import { type SupervisorActorEvent, supervisorLogic } from '../../src/xstate/index.ts';
import { tempDir } from '../support/os.ts';
import { turn } from '../support/virtual.ts';

type SessionEvent =
  | { type: 'RUN'; spec: CommandSpec }
  | { type: 'STOP'; id: string }
  | { type: 'CLOSE' }
  | { type: 'LEAVE' }
  | SupervisorActorEvent;

/** A session of a user, whose processes live as long as the state `open`. */
function arrange(options: SupervisorOptions = {}, input: SupervisorOptions = {}) {
  const backend = createScriptedBackend(undefined, { durable: true });
  const clock = createVirtualClock();
  const logic = supervisorLogic({ backend, clock, stateDirectory: false, control: false, ...options });
  const session = setup({
    types: {
      events: {} as SessionEvent,
      context: {} as { heard: string[]; refused: string | null; report: ShutdownReport | null },
    },
    actors: { supervisor: logic },
    actions: {
      note: assign(({ context, event }) => ({ heard: [...context.heard, event.type] })),
    },
  }).createMachine({
    context: { heard: [], refused: null, report: null },
    initial: 'open',
    states: {
      open: {
        invoke: {
          src: 'supervisor',
          id: 'troupe',
          input,
          onDone: {
            target: 'closed',
            actions: assign(({ event }) => ({ report: event.output })),
          },
        },
        on: {
          RUN: { actions: sendTo('troupe', ({ event }) => ({ type: 'process.start', spec: event.spec })) },
          STOP: { actions: sendTo('troupe', ({ event }) => ({ type: 'process.stop', id: event.id })) },
          CLOSE: { actions: sendTo('troupe', { type: 'supervisor.stop' }) },
          LEAVE: 'left',
          'process.refused': { actions: assign(({ event }) => ({ refused: String(event.error) })) },
          'process.*': { actions: 'note' },
        },
      },
      closed: {},
      left: {},
    },
  });
  return { backend, clock, session };
}

/** The snapshot of the supervisor of a session. */
function childOf(actor: { getSnapshot(): { children: object } }) {
  const { troupe } = actor.getSnapshot().children as {
    troupe: { getSnapshot(): { supervisor: Supervisor | null; processes: readonly unknown[] } };
  };
  return troupe.getSnapshot();
}

describe('a supervisor that a state invokes', () => {
  test('starts and stops processes, and tells its parent', async () => {
    const { session, backend } = arrange();
    const actor = createActor(session).start();

    actor.send({ type: 'RUN', spec: { command: ['web'] } });
    actor.send({ type: 'STOP', id: backend.lastRun.request.id });
    await turn();

    expect(backend.lastRun.signals).toEqual(['SIGTERM']);
    expect(actor.getSnapshot().context.heard).toEqual([
      'process.created',
      'process.started',
      'process.stopping',
      'process.ended',
    ]);
    actor.stop();
  });

  test('lists its processes in its snapshot', async () => {
    const { session } = arrange();
    const actor = createActor(session).start();

    actor.send({ type: 'RUN', spec: { command: ['web'] } });
    await turn();

    const { supervisor, processes } = childOf(actor);
    expect(processes).toMatchObject([{ commandLine: 'web', status: 'running' }]);
    expect(processes).toEqual(supervisor?.list());
    actor.stop();
  });

  test('tells a refused start as an event', () => {
    const { session, backend } = arrange({}, { maxBackgroundProcesses: 0 });
    const actor = createActor(session).start();

    actor.send({ type: 'RUN', spec: { command: ['web'], background: true } });

    expect(actor.getSnapshot().context.refused).toContain('Maximum background processes (0) reached');
    expect(backend.runs).toHaveLength(0);
    actor.stop();
  });

  test('is done with its report when it is told to stop', async () => {
    const { session, backend } = arrange();
    const actor = createActor(session).start();
    actor.send({ type: 'RUN', spec: { command: ['web'] } });

    actor.send({ type: 'CLOSE' });
    await turn();

    expect(backend.lastRun.signals).toEqual(['SIGTERM']);
    expect(actor.getSnapshot()).toMatchObject({ value: 'closed', context: { report: expect.any(Object) } });
  });

  test('ends its processes when the state is left', async () => {
    const { session, backend } = arrange();
    const actor = createActor(session).start();
    actor.send({ type: 'RUN', spec: { command: ['web'] } });
    const { supervisor } = childOf(actor);

    actor.send({ type: 'LEAVE' });
    await supervisor?.shutdown();

    expect(backend.lastRun).toMatchObject({ isUp: false, signals: ['SIGTERM'] });
    expect(() => supervisor?.start({ command: ['web'] })).toThrow('shutting down');
  });

  test('adopts the processes of the snapshot that it is restored from', async () => {
    using place = tempDir();
    const { session, backend } = arrange({}, { stateDirectory: place.path });
    const before = createActor(session).start();
    before.send({ type: 'RUN', spec: { command: ['web'], lifetime: 'persistent', background: true } });
    const snapshot = JSON.parse(JSON.stringify(before.getPersistedSnapshot()));
    const { supervisor } = childOf(before);
    before.stop();
    await supervisor?.shutdown();

    const after = createActor(session, { snapshot }).start();
    await turn();

    expect(backend.runs.map(({ isAdopted }) => isAdopted)).toEqual([false, true]);
    const restored = childOf(after);
    expect(restored.processes).toMatchObject([{ status: 'backgrounded', commandLine: 'web' }]);
    expect(restored.supervisor).not.toBe(supervisor);
    after.send({ type: 'STOP', id: backend.lastRun.request.id });
    await turn();
    expect(backend.lastRun.signals).toEqual(['SIGTERM']);
    after.stop();
    await restored.supervisor?.shutdown();
  });

  test('has types for setup', () => {
    type Logic = ReturnType<typeof supervisorLogic>;
    expectTypeOf<OutputFrom<Logic>>().toEqualTypeOf<ShutdownReport>();
    type Refused = Extract<SupervisorActorEvent, { type: 'process.refused' }>;
    expectTypeOf<Refused['error']>().toEqualTypeOf<unknown>();
    expectTypeOf<
      Extract<SupervisorActorEvent, { type: 'supervisor.faulted' }>['times']
    >().toEqualTypeOf<number>();
  });
});
