import { expect, test } from 'vitest';
import type { Peer } from '../../src/control/protocol.ts';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import type { DirectoryDeps } from '../../src/state-directory/directory-deps.ts';
import {
  listDirectory,
  toDamagedWarning,
  toForeignWarning,
  toUnansweredWarning,
} from '../../src/state-directory/list-directory.ts';
import type { SupervisorState } from '../../src/store/supervisor-registry.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { endedView, runningView } from '../support/views.ts';
import { endedRecord, runningRecord } from './records.ts';

/** Lists a directory with these supervisors, each with its answer, and these records. */
async function list(
  {
    peers = {} as Readonly<Record<string, readonly ProcessView[] | Error>>,
    states = {} as Readonly<Record<string, SupervisorState>>,
    records = [] as readonly ProcessRecord[],
    damaged = [] as readonly { name: string; why: string }[],
  },
  options: { onlyLive?: boolean } = {},
) {
  const clock = createVirtualClock({ epochMs: 61_000 });
  const all = Object.keys(peers).map((id) => ({ id, pid: 7 }) as Peer);
  const registered = { ...Object.fromEntries(all.map(({ id }) => [id, 'alive' as const])), ...states };
  const loads: unknown[] = [];
  const deps = {
    clock,
    peers: {
      list: () => all,
      ask: async ({ id }: Peer) => {
        const answer = peers[id];
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    store: {
      load: (given: unknown) => {
        loads.push(given);
        return { records, damaged };
      },
    },
    registry: {
      list: () => Object.entries(registered).map(([id, state]) => ({ entry: { id }, state })),
      stateOf: (id: string) => registered[id] ?? 'dead',
    },
    resolveStatus: async ({ view }: ProcessRecord) => ({
      type: 'ended',
      view: endedView({ id: `${view.id}-resolved`, createdAt: view.createdAt }),
    }),
  } as unknown as DirectoryDeps;
  const { processes, warnings } = await listDirectory(deps, options);
  const shown = processes.map(
    ({ view, supervisorId, answered }) => `${view.id} of ${supervisorId}${answered ? '' : ' recorded'}`,
  );
  return { shown, processes, warnings, loads };
}

const live = (id: string, createdAt = 0) => runningView({ id, createdAt });
const over = (id: string, createdAt = 0) => endedView({ id, createdAt });

test('live processes come first, each in order of creation', async () => {
  const views = [over('d', 4), live('b', 2), over('c', 3), live('a', 1)];

  expect((await list({ peers: { sup_a: views } })).shown).toEqual([
    'a of sup_a',
    'b of sup_a',
    'c of sup_a',
    'd of sup_a',
  ]);
});

test('the supervisor that has a process alive is its own', async () => {
  const { shown } = await list({ peers: { sup_a: [over('x')], sup_b: [live('x')], sup_c: [over('x')] } });

  expect(shown).toEqual(['x of sup_b']);
});

test('an answer takes precedence over the record', async () => {
  const record = { ...runningRecord('x'), supervisorId: 'sup_b' };
  const { shown } = await list({ peers: { sup_a: [live('x')] }, records: [record] });

  expect(shown).toEqual(['x of sup_a']);
});

test('a record that its supervisor does not show is gone, unless it is being let go', async () => {
  const adoptable = { ...runningRecord('y', { revival: {} as never }), supervisorId: 'sup_a' };
  const records = [
    { ...runningRecord('x'), supervisorId: 'sup_a' },
    adoptable,
    { ...endedRecord('z'), supervisorId: 'sup_a', revival: {} as never },
  ];

  expect((await list({ peers: { sup_a: [] }, records })).shown).toEqual(['y of sup_a recorded']);
});

test('the record of a dead supervisor is checked, and of any other shown as of now', async () => {
  const states = { sup_a: 'elsewhere', sup_b: 'alive' } as const;
  const records = [
    { ...runningRecord('x'), supervisorId: 'sup_a' },
    { ...runningRecord('y'), supervisorId: 'sup_b' },
    { ...runningRecord('z'), supervisorId: 'sup_c' },
  ];
  const { shown, processes } = await list({ states, records });

  expect(shown).toEqual(['x of sup_a recorded', 'y of sup_b recorded', 'z-resolved of sup_c recorded']);
  // Begun at second 1, and shown at second 61.
  expect(processes[0]?.view).toMatchObject({ runtimeMs: 60_000 });
});

test('a supervisor elsewhere is warned of once, and only for what it has alive', async () => {
  const states = { sup_a: 'elsewhere', sup_b: 'elsewhere' } as const;
  const records = [
    { ...runningRecord('x'), supervisorId: 'sup_a' },
    { ...runningRecord('y'), supervisorId: 'sup_a' },
    { ...endedRecord('z'), supervisorId: 'sup_b' },
  ];

  expect((await list({ states, records })).warnings).toEqual([toForeignWarning('sup_a', 'processes')]);
});

test('a supervisor that does not answer is warned of while it is alive', async () => {
  const peers = { sup_a: new Error('no answer'), sup_b: new Error('closed') };
  const { warnings } = await list({ peers, states: { sup_b: 'dead' } });

  expect(warnings).toEqual([
    'Supervisor sup_a (pid 7) could not be asked, so its records are shown: no answer',
  ]);
});

test('damaged records are warned of last', async () => {
  const { warnings } = await list({
    peers: { sup_a: new Error('no answer') },
    damaged: [{ name: '/s/x.json', why: 'it is empty' }],
  });

  expect(warnings).toEqual([
    expect.stringMatching(/^Supervisor sup_a/),
    'The record /s/x.json was skipped: it is empty.',
  ]);
});

test('a list of live processes leaves ended ones out, but not their leftovers', async () => {
  const leftover = { pid: 9, pgid: 9, startedAt: '1', command: 'x' };
  const views = [live('a'), over('b', 1), endedView({ id: 'c', createdAt: 2, leftovers: [leftover] })];
  const { shown, loads } = await list({ peers: { sup_a: views } }, { onlyLive: true });

  expect(shown).toEqual(['a of sup_a', 'c of sup_a']);
  expect(loads).toEqual([{ leaveOut: expect.any(Function) }]);
  expect((await list({ peers: { sup_a: views } })).loads).toEqual([{}]);
});

test('warnings say what is shown instead', () => {
  expect(toForeignWarning('sup_a', 'schedules')).toBe(
    'Supervisor sup_a is out of reach of this program, perhaps in a container: its schedules are shown as last recorded.',
  );
  expect(toUnansweredWarning({ id: 'sup_a', pid: 7 } as Peer, new Error('busy'))).toBe(
    'Supervisor sup_a (pid 7) could not be asked, so its records are shown: busy',
  );
  expect(toDamagedWarning({ name: '/s/x.json', why: 'it is empty' })).toBe(
    'The record /s/x.json was skipped: it is empty.',
  );
});
