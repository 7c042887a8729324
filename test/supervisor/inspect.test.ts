import { expect, test } from 'vitest';
import { createActor, createMachine, type InspectionEvent } from 'xstate';
import { createConversation, createScriptedModel, createSupervisor } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

interface Inspected {
  readonly id: string;
  readonly sessionId: string;
  readonly _parent?: Inspected;
}

/** An inspector that keeps what it is told. */
function createInspector() {
  const events: InspectionEvent[] = [];
  const actors = () =>
    events
      .filter(({ type }) => type === '@xstate.actor')
      .map(({ actorRef }) => actorRef as unknown as Inspected);
  return {
    events,
    inspect: (event: InspectionEvent) => void events.push(event),
    actors,
    /** Each actor as `name < parent`. */
    family: () => actors().map(({ id, _parent }) => (_parent === undefined ? id : `${id} < ${_parent.id}`)),
    /** What actors were told, as `name type`. */
    told: () =>
      events.flatMap((event) =>
        event.type === '@xstate.event'
          ? [`${(event.actorRef as unknown as Inspected).id} ${event.event.type}`]
          : [],
      ),
  };
}

test('an inspector sees processes under their ids, below their supervisor', async () => {
  const inspector = createInspector();
  await using rig = createVirtualHarness({ inspect: inspector.inspect });

  const { id } = rig.supervisor.start({ command: ['make'] });
  rig.run(0).exit({ code: 1 });
  await turn();

  expect(inspector.family()).toEqual(['supervisor', `${id} < supervisor`, `${id}/runner < ${id}`]);
  expect(inspector.told()).toContain(`${id} process.exited`);
  expect(inspector.events).toContainEqual(
    expect.objectContaining({
      type: '@xstate.snapshot',
      actorRef: expect.objectContaining({ id }),
      snapshot: expect.objectContaining({ value: 'failed', status: 'done' }),
    }),
  );
});

test('an inspector sees watches, conversations and actors of the user as parts of one system', async () => {
  const inspector = createInspector();
  await using rig = createVirtualHarness({ inspect: { next: inspector.inspect } });
  const { supervisor, clock } = rig;
  const { id } = supervisor.start({ command: ['make'], background: true });

  supervisor.watch(id, { pattern: 'error' });
  const model = createScriptedModel([{ text: 'Hello.' }]);
  const conversation = createConversation({ supervisor, model, clock, id: 'conv_a' });
  await conversation.say('Hi');
  if (supervisor.inspect === null) throw new Error('The supervisor has no observer.');
  createActor(createMachine({}), { id: 'mine', inspect: supervisor.inspect }).start();

  expect(inspector.family().slice(3)).toEqual([
    `${id}/watch < supervisor`,
    'conv_a < supervisor',
    'mine < supervisor',
  ]);
  expect(inspector.told()).toContain('conv_a model.replied');
  const [root] = inspector.actors();
  expect(new Set(inspector.events.map(({ rootId }) => rootId))).toEqual(new Set([root?.sessionId]));
  await conversation.close();
});

test('an actor is the same object in all its events', async () => {
  const inspector = createInspector();
  await using rig = createVirtualHarness({ inspect: inspector.inspect });

  rig.supervisor.start({ command: ['make'] });

  const bySession = new Map<string, Set<unknown>>();
  for (const { actorRef } of inspector.events)
    bySession.set(actorRef.sessionId, (bySession.get(actorRef.sessionId) ?? new Set()).add(actorRef));
  expect([...bySession.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
});

test('an inspected actor has the current snapshot', async () => {
  const inspector = createInspector();
  await using rig = createVirtualHarness({ inspect: inspector.inspect });
  const { id } = rig.supervisor.start({ command: ['make'] });
  const actor = inspector.events.find(
    ({ actorRef }) => (actorRef as unknown as Inspected).id === id,
  )?.actorRef;

  rig.run(0).exit();
  await turn();

  expect(actor?.getSnapshot()).toMatchObject({ status: 'done', value: 'completed' });
});

test('an inspector does not see what is written to a process', async () => {
  const inspector = createInspector();
  await using rig = createVirtualHarness({ inspect: inspector.inspect, secrets: { pin: () => 'hunter2' } });
  const handle = rig.supervisor.start({ command: ['login'], stdin: 'pipe' });

  await handle.write('hunter2\n');
  await handle.writeSecret('pin');

  expect(rig.run(0).input).toBe('hunter2\nhunter2\n');
  const writes = inspector.events.filter((event) => 'event' in event && event.event.type === 'process.write');
  expect(writes.map((event) => 'event' in event && event.event['data'])).toEqual(
    writes.map(() => '[8 bytes]'),
  );
  expect(writes.length).toBeGreaterThanOrEqual(4);
});

test('an inspector that throws is reported and has no other effect', async () => {
  const inspect = () => {
    throw new Error('The inspector is broken.');
  };
  await using rig = createVirtualHarness({ inspect });

  const handle = rig.supervisor.start({ command: ['make'] });
  rig.run(0).exit();

  expect(await handle.ended).toMatchObject({ status: 'completed' });
  expect(rig.events).toContainEqual(
    expect.objectContaining({ type: 'supervisor.faulted', error: new Error('The inspector is broken.') }),
  );
});

test('an inspector must be a function or an observer', () => {
  expect(() => createSupervisor({ stateDirectory: false, inspect: {} })).toThrow(
    /createSupervisor: .*inspect.*a function, or an observer with "next"/,
  );
});

test('a supervisor without an inspector has none to pass on', async () => {
  await using rig = createVirtualHarness();

  expect(rig.supervisor.inspect).toBe(null);
});
