import { expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { type MachineTestOptions, type MachineWorld, testMachine } from '../../../src/testing/index.ts';
import { type ProcessActorEvent, processLogic } from '../../../src/xstate/index.ts';

const isCompleted = ({ event }: { event: unknown }) =>
  (event as { output?: { status?: string } }).output?.status === 'completed';

/** A user's machine: builds, serves, starts the server again twice, and gives up after a minute without readiness. */
function createDeployer({ supervisor }: Pick<MachineWorld, 'supervisor'>) {
  return setup({
    types: {
      context: {} as { crashes: number },
      events: {} as { type: 'DEPLOY' } | { type: 'CANCEL' } | ProcessActorEvent,
    },
    actors: { process: processLogic(supervisor) },
  }).createMachine({
    id: 'deployer',
    context: { crashes: 0 },
    initial: 'idle',
    states: {
      idle: { on: { DEPLOY: 'building' } },
      building: {
        on: { CANCEL: 'idle' },
        invoke: {
          src: 'process',
          id: 'build',
          input: { command: ['make'] },
          onDone: [{ guard: isCompleted, target: 'serving' }, { target: 'failed' }],
        },
      },
      serving: {
        initial: 'starting',
        on: { CANCEL: 'idle' },
        invoke: {
          src: 'process',
          id: 'web',
          input: { command: ['serve'], background: true, ready: { line: 'listening' } },
          onDone: [
            {
              guard: ({ context }) => context.crashes < 2,
              target: 'serving',
              reenter: true,
              actions: assign({ crashes: ({ context }) => context.crashes + 1 }),
            },
            { target: 'failed' },
          ],
        },
        states: {
          starting: { on: { 'process.ready': 'up' }, after: { 20000: '#deployer.failed' } },
          up: {},
        },
      },
      failed: {},
    },
  });
}

const BUILT = 'xstate.done.actor.build';
const CRASHED = 'xstate.done.actor.web';

const options = {
  toKey: ({ value, context }) => JSON.stringify([value, context.crashes]),
  events: [
    { type: 'DEPLOY' },
    { type: 'CANCEL' },
    { type: BUILT, output: { status: 'completed' } },
    { type: BUILT, output: { status: 'failed' } },
    { type: 'process.ready' },
    { type: CRASHED, output: { status: 'failed' } },
  ],
  drive: {
    [BUILT]: ({ runOf }, { output }: { output: { status: string } }) =>
      runOf('build').exit({ code: output.status === 'completed' ? 0 : 2 }),
    'process.ready': ({ runOf }) => runOf('web').print('listening\n'),
    [CRASHED]: ({ runOf }) => runOf('web').exit({ code: 1 }),
  },
} satisfies MachineTestOptions<ReturnType<typeof createDeployer>>;

test('paths cover each transition of a machine with processes and timers', async () => {
  const live: string[] = [];

  const report = await testMachine(createDeployer, {
    ...options,
    states: {
      idle: ({ supervisor }) => expect(supervisor.list({ live: true })).toEqual([]),
      'serving.up': ({ backend }) => void live.push(String(backend.lastRun.isUp)),
    },
  });

  expect(report.states.missed).toEqual([]);
  expect(report.transitions.missed).toEqual([]);
  expect(report.paths.length).toBeGreaterThan(8);
  expect(new Set(live)).toEqual(new Set(['true']));
});

test('a machine that leaves its chart fails with the path', async () => {
  const drive = { ...options.drive, [BUILT]: ({ runOf }: MachineWorld) => runOf('build').exit({ code: 2 }) };

  await expect(testMachine(createDeployer, { ...options, drive })).rejects.toThrow(
    /the machine is in \["failed",0\], and its chart predicts \[\{"serving":"starting"\},0\]\.\nPath: \{"type":"DEPLOY"\} →/,
  );
});

test('a failed assertion of a state names the path', async () => {
  const states = {
    building: () => {
      throw new Error('no colour');
    },
  };

  await expect(testMachine(createDeployer, { ...options, states })).rejects.toThrow(
    'testMachine: no colour\nPath: {"type":"DEPLOY"}',
  );
});

test('missed transitions are named with the reason', async () => {
  const events = options.events.filter(
    ({ type, output }) => type !== 'CANCEL' && output?.status !== 'completed',
  );
  const { [BUILT]: build } = options.drive;

  const few = { ...options, events: events.filter(({ type }) => type === 'DEPLOY' || type === BUILT) };
  const report = await testMachine(createDeployer, { ...few, drive: { [BUILT]: build }, onMissed: 'report' });

  expect(report.states.missed.map(({ id }) => id)).toContain('deployer.serving.up');
  expect(report.transitions.missed).toContainEqual({
    id: 'deployer.building · CANCEL · 0',
    why: 'events has no "CANCEL"',
  });
  expect(report.transitions.missed).toContainEqual({
    id: `deployer.building · ${BUILT} · 0`,
    why: 'another transition takes each listed payload of its event',
  });
  expect(report.transitions.missed).toContainEqual({
    id: 'deployer.serving · CANCEL · 0',
    why: 'no path leads to its source',
  });
  await expect(testMachine(createDeployer, { ...few, drive: { [BUILT]: build } })).rejects.toThrow(
    'deployer.building · CANCEL · 0: events has no "CANCEL"',
  );
});

test('unknown names are errors that list the known ones', async () => {
  const wrong = [
    [{ ...options, events: [{ type: 'DEPLOI' }] }, 'events: "DEPLOI" is not an event'],
    [{ ...options, drive: { ...options.drive, deploy: () => {} } }, 'drive: "deploy" is not in events'],
    [
      { ...options, states: { bilding: () => {} } },
      'states: "bilding" is not a state. Known: idle, building',
    ],
    [{ ...options, drive: {} }, `Add drive["${BUILT}"]`],
  ] as const;

  for (const [given, message] of wrong)
    await expect(testMachine(createDeployer, given)).rejects.toThrow(message);
});

test('zero paths are an error', async () => {
  await expect(testMachine(createDeployer, { events: [{ type: 'CANCEL' }] })).rejects.toThrow(
    'there is no path through "deployer"',
  );
});

test('a machine without processes needs neither drive nor supervisor', async () => {
  const light = setup({}).createMachine({
    id: 'light',
    initial: 'red',
    states: { red: { after: { 30000: 'green' } }, green: { on: { WALK: 'red' } } },
  });

  const { paths } = await testMachine(light, { events: [{ type: 'WALK' }] });

  expect(paths).toHaveLength(1);
});
