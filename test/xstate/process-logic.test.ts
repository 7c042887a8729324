import { Observable } from 'rxjs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type ActorRefFrom,
  assertEvent,
  assign,
  createActor,
  type InputFrom,
  type OutputFrom,
  sendTo,
  setup,
  stopChild,
} from 'xstate';
import type { ProcessInput } from '../../machines/process/context.ts';
import { processMachine } from '../../machines/process/machine.ts';
import type { FinalView, ProcessView, RuntimeEvent, Supervisor } from '../../src/index.ts';
import {
  type ProcessActorEvent,
  type ProcessActorInput,
  type ProcessActorLogic,
  processLogic,
} from '../../src/xstate/index.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

type BuildEvent = { type: 'BUILD' } | { type: 'CANCEL' } | { type: 'INTERRUPT' } | ProcessActorEvent;

/** A pipeline of a user: one command, whose end decides between two states. */
function createBuild(supervisor: Supervisor, input: Partial<ProcessActorInput> = {}) {
  return setup({
    types: {
      events: {} as BuildEvent,
      context: {} as { heard: string[]; end: FinalView | null; error: unknown },
    },
    actors: { process: processLogic(supervisor) },
    actions: {
      note: assign(({ context, event }) => ({
        heard: [...context.heard, 'actorId' in event ? `${event.actorId} ${event.type}` : event.type],
      })),
    },
  }).createMachine({
    id: 'pipeline',
    context: { heard: [], end: null, error: null },
    initial: 'idle',
    states: {
      idle: { on: { BUILD: 'building' } },
      building: {
        on: {
          CANCEL: 'idle',
          INTERRUPT: { actions: sendTo('build', { type: 'process.stop', signal: 'SIGINT' }) },
          'process.*': { actions: 'note' },
        },
        invoke: {
          src: 'process',
          id: 'build',
          systemId: 'the-build',
          input: { command: ['make'], ...input } as ProcessActorInput,
          onDone: {
            target: 'ended',
            actions: assign(({ event }) => ({ end: event.output })),
          },
          onError: { target: 'refused', actions: assign(({ event }) => ({ error: event.error })) },
        },
      },
      ended: {},
      refused: {},
    },
  });
}

describe('a process that a state invokes', () => {
  test('is done with its final view', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor)).start();
    actor.send({ type: 'BUILD' });

    rig.run(0).print('built\n');
    rig.run(0).exit();
    await turn();

    const { value, context } = actor.getSnapshot();
    expect(value).toBe('ended');
    expect(context.end).toMatchObject({ status: 'completed', exit: { code: 0 }, output: { bytes: 6 } });
    expect(rig.supervisor.get(context.end?.id ?? '')?.view()).toEqual(context.end);
  });

  test('is done when it fails', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor)).start();
    actor.send({ type: 'BUILD' });

    rig.run(0).exit({ code: 2 });
    await turn();

    expect(actor.getSnapshot()).toMatchObject({
      value: 'ended',
      context: { end: { status: 'failed', exit: { code: 2 } }, error: null },
    });
  });

  test('tells its parent what happens, with the id of the actor', async () => {
    await using rig = createVirtualHarness();
    const ready = { line: 'listening' };
    const actor = createActor(createBuild(rig.supervisor, { timeout: '3s', ready })).start();
    actor.send({ type: 'BUILD' });

    rig.clock.advance(3_000);
    rig.run(0).print('listening\n');
    await turn();

    expect(actor.getSnapshot().context.heard).toEqual([
      'build process.created',
      'build process.started',
      'build process.backgrounded',
      'build process.ready',
    ]);
  });

  test('is in the snapshot of its actor, by its system id', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor)).start();
    actor.send({ type: 'BUILD' });

    const child = actor.system.get('the-build');

    expect(child?.getSnapshot()).toMatchObject({
      process: { status: 'running', commandLine: 'make' },
      spec: null,
    });
    expect(child).toBe(actor.getSnapshot().children['build']);
  });

  test('takes commands', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor)).start();
    actor.send({ type: 'BUILD' });

    actor.send({ type: 'INTERRUPT' });
    await turn();

    expect(rig.run(0).signals).toEqual(['SIGINT']);
    expect(actor.getSnapshot()).toMatchObject({
      value: 'ended',
      context: { end: { status: 'killed', reason: { type: 'killed', by: 'owner' } } },
    });
  });

  test('causes an error only where nothing was started', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor, { command: '' })).start();

    actor.send({ type: 'BUILD' });

    expect(actor.getSnapshot()).toMatchObject({
      value: 'refused',
      context: { error: { name: 'TroupeError', code: 'invalid-option' } },
    });
    expect(rig.backend.runs).toHaveLength(0);
    expect(rig.events).toEqual([]);
  });

  test('leaves no subscription behind where nothing was started', async () => {
    await using rig = createVirtualHarness();
    let listening = 0;
    const events$ = new Observable<RuntimeEvent>((subscriber) => {
      listening += 1;
      const events = rig.supervisor.events$.subscribe(subscriber);
      return () => {
        listening -= 1;
        events.unsubscribe();
      };
    });
    const actor = createActor(createBuild({ ...rig.supervisor, events$ }, { command: '' })).start();

    actor.send({ type: 'BUILD' });

    expect(actor.getSnapshot().value).toBe('refused');
    expect(listening).toBe(0);
  });

  test('is not started with an unknown word for onLeave', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor, { onLeave: 'stop' as 'kill' })).start();

    actor.send({ type: 'BUILD' });

    const { error } = actor.getSnapshot().context;
    expect(String(error)).toMatch(/processLogic: .*onLeave.*"stop".*"kill".*"detach"/);
    expect(rig.backend.runs).toHaveLength(0);
  });
});

describe('leaving the state', () => {
  test('kills the process', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor)).start();
    actor.send({ type: 'BUILD' });

    actor.send({ type: 'CANCEL' });
    await turn();

    expect(actor.getSnapshot().value).toBe('idle');
    expect(rig.run(0).signals).toEqual(['SIGTERM']);
  });

  test('lets a detached process continue in the background', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor, { onLeave: 'detach' })).start();
    actor.send({ type: 'BUILD' });

    actor.send({ type: 'CANCEL' });
    await turn();

    expect(rig.run(0)).toMatchObject({ isUp: true, signals: [] });
    expect(rig.supervisor.list().map(({ status }) => status)).toEqual(['backgrounded']);
    rig.run(0).exit();
    await turn();
    expect(actor.getSnapshot().value).toBe('idle');
  });

  test('and entering it again starts another process', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createBuild(rig.supervisor)).start();

    for (const type of ['BUILD', 'CANCEL', 'BUILD'] as const) actor.send({ type });
    await turn();

    expect(rig.backend.runs.map(({ signals }) => signals)).toEqual([['SIGTERM'], []]);
    rig.run(1).exit();
    await turn();
    expect(actor.getSnapshot().context.end?.id).toBe(rig.run(1).request.id);
  });
});

describe('stopping the whole machine', () => {
  test.each([
    ['kills a process of the session', { lifetime: 'session' }, ['SIGTERM']],
    ['lets a persistent process continue', { lifetime: 'persistent' }, []],
    ['lets a detached process continue', { onLeave: 'detach' }, []],
  ] as const)('%s', async (_, input, signals) => {
    await using rig = openDirectoryHarness().open();
    const actor = createActor(createBuild(rig.supervisor, { ...input, background: true })).start();
    actor.send({ type: 'BUILD' });

    actor.stop();
    await turn();

    expect(rig.backend.lastRun.signals).toEqual(signals);
  });

  test('counts for a machine within a machine', async () => {
    await using rig = openDirectoryHarness().open();
    const build = createBuild(rig.supervisor, { lifetime: 'persistent', background: true });
    const outer = setup({ actors: { build } }).createMachine({
      initial: 'on',
      states: { on: { invoke: { src: 'build', id: 'inner' }, on: { OFF: 'off' } }, off: {} },
    });
    const [stopped, left] = [createActor(outer).start(), createActor(outer).start()];
    for (const actor of [stopped, left]) actor.getSnapshot().children['inner']?.send({ type: 'BUILD' });

    stopped.stop();
    left.send({ type: 'OFF' });
    await turn();

    expect(rig.backend.runs.map(({ signals }) => signals)).toEqual([[], ['SIGTERM']]);
  });
});

describe('a process that a machine spawns', () => {
  const createTeam = (supervisor: Supervisor) =>
    setup({
      types: {
        events: {} as { type: 'ADD'; name: string } | { type: 'REMOVE'; name: string } | ProcessActorEvent,
        context: {} as { started: string[] },
      },
      actors: { process: processLogic(supervisor) },
    }).createMachine({
      context: { started: [] },
      on: {
        ADD: {
          actions: assign(({ context, event, spawn }) => {
            spawn('process', { id: event.name, input: { command: [event.name], label: event.name } });
            return context;
          }),
        },
        REMOVE: { actions: stopChild(({ event }) => event.name) },
        'process.started': {
          actions: assign(({ context, event }) => ({
            started: [...context.started, `${event.actorId}=${event.process.label}`],
          })),
        },
      },
    });

  test('is one of several, each with its own actor', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(createTeam(rig.supervisor)).start();

    for (const name of ['web', 'db']) actor.send({ type: 'ADD', name });
    actor.send({ type: 'REMOVE', name: 'web' });
    await turn();

    expect(actor.getSnapshot().context.started).toEqual(['web=web', 'db=db']);
    expect(rig.backend.runs.map(({ signals }) => signals)).toEqual([['SIGTERM'], []]);
    expect(Object.keys(actor.getSnapshot().children)).toEqual(['db']);
  });
});

describe('processLogic', () => {
  test('refuses to be created without a supervisor', () => {
    expect(() => processLogic(undefined as unknown as Supervisor)).toThrow(
      'processLogic: the supervisor is undefined; expected one from createSupervisor().',
    );
  });

  test('runs without a machine', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(processLogic(rig.supervisor), { input: { command: ['make'] } }).start();
    const statuses: (string | undefined)[] = [];
    actor.subscribe(({ process }) => statuses.push(process?.status));

    actor.send({ type: 'process.background' });
    rig.run(0).exit({ code: 3 });
    await turn();

    expect(statuses).toContain('backgrounded');
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: { status: 'failed' } });
  });

  test('keeps the process of an actor that is stopped and started again at once', async () => {
    await using rig = createVirtualHarness();
    const actor = createActor(processLogic(rig.supervisor), { input: { command: ['make'] } }).start();
    const running = actor.getSnapshot();

    // As React's StrictMode does through @xstate/react.
    actor.stop();
    Object.assign(actor, { _processingStatus: 0, _snapshot: running });
    actor.start();
    await turn();

    expect(rig.backend.runs.map(({ signals }) => signals)).toEqual([[]]);
    rig.run(0).exit();
    await turn();
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: { status: 'completed' } });
  });

  test('has types for setup', () => {
    type Logic = ReturnType<typeof processLogic>;
    expectTypeOf<Logic>().toEqualTypeOf<ProcessActorLogic>();
    expectTypeOf<OutputFrom<Logic>>().toEqualTypeOf<FinalView>();
    expectTypeOf<InputFrom<Logic>>().toEqualTypeOf<ProcessActorInput>();
    type Snapshot = ReturnType<ActorRefFrom<Logic>['getSnapshot']>;
    expectTypeOf<Snapshot['process']>().toEqualTypeOf<ProcessView | null>();
    type Backgrounded = Extract<ProcessActorEvent, { type: 'process.backgrounded' }>;
    expectTypeOf<Backgrounded['by']>().toEqualTypeOf<'agent' | 'user' | 'supervisor' | 'owner'>();
    expectTypeOf<Backgrounded['process']>().toEqualTypeOf<ProcessView>();
    expectTypeOf<Extract<ProcessActorEvent, { type: 'process.ready' }>['actorId']>().toEqualTypeOf<string>();
    expectTypeOf<ProcessActorEvent['type']>().not.toEqualTypeOf<string>();

    const never = () => {
      const logic = processLogic({} as Supervisor);
      setup({ types: { events: {} as BuildEvent }, actors: { process: logic } }).createMachine({
        invoke: [
          // @ts-expect-error The command is missing.
          { src: 'process', input: { label: 'build' } },
          // @ts-expect-error No such fate.
          { src: 'process', input: { command: 'make', onLeave: 'stop' } },
          {
            src: 'process',
            input: { command: 'make' },
            onDone: { actions: ({ event }) => expectTypeOf(event.output).toEqualTypeOf<FinalView>() },
          },
        ],
        on: {
          // @ts-expect-error The end is the `done` of the actor.
          'process.ended': {},
          'process.backgrounded': {
            actions: ({ event }) => {
              assertEvent(event, 'process.backgrounded');
              expectTypeOf(event.by).toEqualTypeOf<Backgrounded['by']>();
            },
          },
        },
      });
      // @ts-expect-error No such command.
      createActor(logic, { input: { command: 'make' } }).send({ type: 'process.explode' });
    };
    expect(never).toBeTypeOf('function');
  });
});

describe('the chart of a process', () => {
  test('says what it needs where a machine invokes it', () => {
    const invoking = setup({ actors: { process: processMachine } }).createMachine({
      invoke: { src: 'process', input: { command: 'make' } as never },
    });
    const errors: unknown[] = [];

    const actor = createActor(invoking);
    actor.subscribe({ error: (error) => errors.push(error) });
    actor.start();

    expect(String(errors[0])).toContain('this chart needs a supervisor, which performs its effects');
    expect(String(errors[0])).toContain('invoke processLogic(supervisor) of troupe/xstate');
  });

  test('says so where its input is right and its effects are missing', () => {
    const actor = createActor(processMachine, { input: processInput });
    const errors: unknown[] = [];
    actor.subscribe({ error: (error) => errors.push(error) });

    actor.start();

    expect(String(errors[0])).toMatch(/^Error: The effect "armDeadline" was not provided: .*troupe\/xstate/);
  });
});

const processInput: ProcessInput = {
  id: 'tool_example1',
  background: false,
  onTimeout: 'background',
  limits: {
    ...{ timeoutMs: 1, maxExecutionMs: 1, maxBackgroundMs: 0, killGraceMs: 1 },
    ...{ drainQuietMs: 1, drainMaxMs: 1, notifyAfterSilenceMs: 0, notifyAfterMs: 0 },
  },
  leftoverPolicy: 'keep',
  restart: {
    policy: 'temporary',
    ...{ maxRestarts: 3, withinMs: 1, minBackoffMs: 1, maxBackoffMs: 1 },
    healthyAfterMs: 1,
  },
  seed: 1,
  past: null,
};
