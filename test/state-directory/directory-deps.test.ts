import { expect, test } from 'vitest';
import { TroupeError, type TroupeErrorCode } from '../../src/config/troupe-error.ts';
import type { Peer } from '../../src/control/protocol.ts';
import {
  createAsk,
  createDirectoryDeps,
  type DirectoryDeps,
  findEnd,
  type ProcessLocation,
  type Recorded,
  refuseInput,
  refuseSignal,
  refuseUnlessEnded,
  unreachableError,
} from '../../src/state-directory/directory-deps.ts';
import type { SupervisorState } from '../../src/store/supervisor-registry.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { endedRecord, runningRecord, writeRecord } from './records.ts';

const peer = { id: 'sup_a', pid: 7, socket: '/run/a.sock' } as Peer;

function recorded(state: SupervisorState, view: object = {}): Recorded {
  const record = runningRecord('tool_a');
  return { type: 'recorded', state, record: { ...record, view: { ...record.view, ...view } } } as Recorded;
}

const ended: Recorded = { type: 'recorded', state: 'dead', record: endedRecord('tool_a') };

/** Deps for which a process without a supervisor has this status. */
const resolving = (type: 'ended' | 'orphaned') =>
  ({
    resolveStatus: async () => ({ type, view: endedRecord('tool_a').view }),
  }) as unknown as DirectoryDeps;

test.each([
  ['a recorded end', ended, 'orphaned', true],
  ['a proven end', recorded('dead'), 'ended', true],
  ['a live process', recorded('dead'), 'orphaned', false],
  ['a process with a supervisor', recorded('alive'), 'ended', false],
  ['a process elsewhere', recorded('elsewhere'), 'ended', false],
] as const)('an end is found of %s or not', async (_, it, status, isFound) => {
  expect((await findEnd(resolving(status), it)) !== null).toBe(isFound);
});

const alive =
  'its supervisor sup_dead2222 listens on no control socket (its option "control" is false, or it has just begun): use its own program';

test.each([
  [recorded('alive'), alive],
  [
    recorded('elsewhere'),
    'its supervisor sup_dead2222 is out of reach of this program, perhaps in a container: go there',
  ],
  [
    recorded('dead'),
    'it has no supervisor now: the next program of its owner "user" with this state directory adopts it',
  ],
  [
    recorded('dead', { owner: 'shell' }),
    'it has no supervisor now: start `troupe serve`, which adopts it, and try again',
  ],
])('a process that cannot be reached says where to go (%#)', (it, why) => {
  const error = unreachableError(it);

  expect(error).toMatchObject({ code: 'unreachable', message: `Process tool_a cannot be reached: ${why}.` });
});

const terminal = { terminal: { type: 'terminal' } };

test('input of a process without a supervisor is refused or out of reach', async () => {
  const refused = { ok: false, bytesWritten: 0 };

  expect(await refuseInput(resolving('ended'), recorded('dead'))).toEqual({
    ...{ ...refused, code: 'notRunning', error: 'Process tool_a is not running.' },
  });
  expect(await refuseInput(resolving('ended'), recorded('dead', terminal))).toMatchObject({
    code: 'notRunning',
  });
  expect(await refuseInput(resolving('orphaned'), recorded('dead'))).toEqual({
    ...{ ...refused, code: 'closed' },
    error: 'The input of process tool_a is closed: it ended with the supervisor that started it.',
  });
  for (const it of [recorded('dead', terminal), recorded('alive'), recorded('elsewhere')])
    await expect(refuseInput(resolving('orphaned'), it)).rejects.toMatchObject({ code: 'unreachable' });
});

test('an ended process is not changed, and any other is out of reach', async () => {
  expect(await refuseUnlessEnded(resolving('orphaned'), ended)).toBe(false);
  expect(await refuseSignal(resolving('orphaned'), ended)).toEqual({
    ok: false,
    code: 'ended',
    message: 'Process tool_a was not signalled: it exited with code 0.',
  });
  for (const refuse of [refuseUnlessEnded, refuseSignal])
    await expect(refuse(resolving('orphaned'), recorded('dead'))).rejects.toMatchObject({
      code: 'unreachable',
    });
});

const failure = (code: TroupeErrorCode) => new TroupeError({ code, message: code });

/** Asks for a process that is found in these places, one after the other, at supervisors with these answers. */
function arrange(
  places: readonly ProcessLocation[],
  { answers = [] as readonly (string | Error)[], hasEnded = true, revives = false } = {},
) {
  const asked: unknown[] = [];
  const [left, replies] = [[...places], [...answers]];
  const deps = {
    find: async () => left.shift(),
    revive: async () => revives && left.length > 0,
    hasPeerEnded: async () => hasEnded,
    peers: {
      ask: async (...call: unknown[]) => {
        asked.push(call);
        const reply = replies.shift();
        if (reply instanceof Error) throw reply;
        return reply;
      },
    },
  } as unknown as DirectoryDeps;
  const call = { id: 'tool_a', method: 'show', params: { id: 'tool_a' } } as const;
  const ask = (how: { readonly revives?: boolean } = {}) =>
    createAsk(deps)(call, {
      ...how,
      options: { deadlineMs: 5 },
      orElse: async ({ state }) => `recorded ${state}`,
    });
  return { asked, ask, call };
}

const supervised = { type: 'supervised', peer } as const;

test('the supervisor of a process is asked', async () => {
  const { asked, ask, call } = arrange([supervised], { answers: ['view'] });

  expect(await ask()).toBe('view');
  expect(asked).toEqual([[peer, call, { deadlineMs: 5 }]]);
});

test('a supervisor that ends meanwhile leaves the record', async () => {
  const { ask } = arrange([supervised, recorded('dead')], { answers: [failure('unreachable')] });

  expect(await ask()).toBe('recorded dead');
});

test('a supervisor that refuses has the last word', async () => {
  const { ask } = arrange([supervised], { answers: [failure('invalid-option')], hasEnded: false });

  await expect(ask()).rejects.toMatchObject({ code: 'invalid-option' });
});

test('a process is revived only where that is asked for', async () => {
  const places = [recorded('dead'), supervised];

  expect(await arrange(places, { answers: ['view'], revives: true }).ask({ revives: true })).toBe('view');
  expect(await arrange(places, { answers: ['view'], revives: true }).ask()).toBe('recorded dead');
  expect(await arrange(places, { revives: false }).ask({ revives: true })).toBe('recorded dead');
});

/** Deps of a directory without a supervisor. */
function openDeps(startDaemon?: () => Promise<void>) {
  const place = tempDir();
  const deps = createDirectoryDeps({ directory: place.path, clock: createVirtualClock(), startDaemon });
  return { ...place, deps, [Symbol.dispose]: place.remove };
}

test('an unknown process is named with the nearest, and with what is broken', async () => {
  using place = openDeps();
  const messageOf = (id: string) =>
    place.deps.find(id).then(
      () => 'found',
      ({ message }: Error) => message,
    );
  const none = (id: string) => `There is no process "${id}" in ${place.path}.`;

  expect(await messageOf('tool_b')).toBe(none('tool_b'));
  writeRecord(place.path, endedRecord('tool_whole222'), 'tool_whole222');
  expect(await messageOf('tool_whole223')).toBe(`${none('tool_whole223')} Did you mean tool_whole222?`);
  writeRecord(place.path, '', 'x-broken-one-x');
  expect(await messageOf('x-broken-one-x')).toBe(
    `${none('x-broken-one-x')} Its record ${place.path}/processes/x-broken-one-x.json cannot be used: it is empty.`,
  );
  expect(await messageOf('../x')).toBe(none('../x'));
});

test('a recorded process of a supervisor without an entry is of a dead one', async () => {
  using place = openDeps();
  writeRecord(place.path, endedRecord('tool_whole222'), 'tool_whole222');

  expect(await place.deps.find('tool_whole222')).toMatchObject({ type: 'recorded', state: 'dead' });
});

test('a daemon is started once for a process that lost it', async () => {
  let starts = 0;
  const startDaemon = async () => {
    starts += 1;
  };
  using place = openDeps(startDaemon);
  const { deps } = place;
  const nextStartAt = 1;
  const revival = { files: { status: '/none', log: '/none' }, nextStartAt } as never;
  const record = runningRecord('tool_a', { revival });
  const it = (view: object, state: SupervisorState = 'dead') =>
    ({
      ...{ type: 'recorded', state },
      record: { ...record, savedAt: deps.clock.epochMs(), view: { ...record.view, ...view } },
    }) as Recorded;

  expect(await deps.revive(it({}))).toBe(false);
  expect(await deps.revive(it({ owner: 'shell' }, 'alive'))).toBe(false);
  expect(await deps.revive({ ...it({ owner: 'shell' }), record: runningRecord('tool_a') })).toBe(false);
  expect(starts).toBe(0);
  expect(await deps.revive(it({ owner: 'shell' }))).toBe(true);
  expect(await deps.revive(it({ owner: 'shell' }))).toBe(false);

  expect(starts).toBe(1);
});

test.each(['unreachable', 'not-found'] as const)(
  'a supervisor without an entry has ended: %s',
  async (code) => {
    using place = openDeps();

    expect(await place.deps.hasPeerEnded(failure(code), peer)).toBe(true);
  },
);

test('another failure is no end', async () => {
  using place = openDeps();

  expect(await place.deps.hasPeerEnded(failure('invalid-option'), peer)).toBe(false);
});
