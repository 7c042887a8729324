import { expect, test } from 'vitest';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import {
  createMonotonic,
  toReadinessSettings,
  toRestoredProcess,
  toRunSettings,
} from '../../src/process/restored-process.ts';
import { endedView, runningView } from '../support/views.ts';

const scope = { bootId: 'boot', pidNamespace: 'pid:[1]' };

/** A reader whose monotonic clock shows 1 000 at second 100 of the wall clock. */
function reader({ machineMs = undefined as number | undefined, bootId = 'boot' } = {}) {
  const clock = {
    ...{ nowMs: () => 1_000, epochMs: () => 100_000, at: () => () => {} },
    ...(machineMs !== undefined && { machineMs: () => machineMs }),
  };
  return { clock, scope: { ...scope, bootId } };
}

function toRecord(view: ProcessRecord['view'], more: object = {}): ProcessRecord {
  return {
    ...{
      version: 1,
      supervisorId: 'sup_a',
      scope,
      savedAt: 90_000,
      view,
      timeline: [],
      leader: null,
      revival: null,
    },
    ...more,
  } as ProcessRecord;
}

test.each([
  ['by the wall clock', {}, {}, 0, -9_000],
  ['by the clock of the machine', { savedMachineMs: 40_000 }, { machineMs: 43_000 }, 0, -2_000],
  [
    'by the wall clock after a restart of the machine',
    { savedMachineMs: 40_000 },
    { machineMs: 43_000, bootId: 'next' },
    0,
    -9_000,
  ],
  ['by the wall clock where the record has no other', {}, { machineMs: 43_000 }, 0, -9_000],
  ['from the moment of the record', {}, {}, 5_000, -4_000],
])('times of a record are converted %s', (_, more, given, laterMs, expected) => {
  const record = toRecord(runningView(), more);

  expect(createMonotonic(record, reader(given))(90_000 + laterMs)).toBe(expected);
});

const stop = { cause: { type: 'kill', by: 'user' }, signal: 'SIGTERM', graceMs: 5, escalated: false };
const watches = [{ owner: 'x' }];

test('a live process continues where its record says', () => {
  const view = runningView({
    owner: 'me',
    startedAt: 80_000,
    backgroundedAt: 85_000,
    pausedAt: 88_000,
    attempt: 3,
  });
  const revival = { attemptOffset: 7, restartedAt: [90_000, 95_000], nextStartAt: 99_000, stop, watches };
  const readers = { log: { stdout: 4, stderr: 0, screen: 0 } };

  expect(toRestoredProcess(toRecord(view, { revival, readers }), reader())).toEqual({
    ...{ owner: 'me', timeline: [], attemptOffset: 7, leader: null, readers, watches, isUnowned: false },
    ready: view.ready,
    life: {
      type: 'live',
      past: {
        ...{ attempt: 3, restartTimesMs: [-9_000, -4_000], nextStartAtMs: 0, end: null },
        stop: { ...stop, orderedAtMs: 1_000 },
      },
      times: {
        ...{
          createdAt: 0,
          startedAt: 80_000,
          startedAtMs: -19_000,
          backgroundedAt: 85_000,
          pausedAt: 88_000,
        },
        ...{ endedAt: null, endedAtMs: null },
      },
    },
    output: null,
  });
});

test('a record without what came later has nothing of it', () => {
  const restored = toRestoredProcess(toRecord(runningView()), reader());

  expect(restored).toMatchObject({ attemptOffset: 0, readers: {}, watches: [] });
  expect(restored.life).toMatchObject({ past: { restartTimesMs: [], nextStartAtMs: null, stop: null } });
});

const pending = { ...runningView(), status: 'pending' } as never;
const { ready: _ready, startedAt: _startedAt, ...withoutReady } = pending as ReturnType<typeof runningView>;

test.each([
  [null, 'undeclared'],
  [{ ready: null }, 'undeclared'],
  [{ ready: { line: 'up' } }, 'waiting'],
])('a process that was not started yet waits for its readiness or not: %j', (revival, state) => {
  const { ready, life } = toRestoredProcess(toRecord(withoutReady as never, { revival }), reader());

  expect(ready).toEqual({ state });
  expect(life.times).toMatchObject({ startedAt: null, startedAtMs: null });
});

const leftover = { pid: 7, pgid: 7, startedAt: '1', command: 'x' };
const leader = { ...scope, pid: 1, pgid: 1, sid: 1, startedAt: '1', cookie: '/x/' };

test('an ended process is as it was', () => {
  const view = endedView({ startedAt: 80_000, runtimeMs: 5_000, endedAt: 85_000 });
  const restored = toRestoredProcess(toRecord(view), reader());

  expect(restored).toMatchObject({ isUnowned: true, output: view.output, ready: { state: 'undeclared' } });
  expect(restored.life).toMatchObject({
    type: 'ended',
    past: null,
    view: { status: 'completed', outputEnded: true, leftovers: [] },
    times: { endedAt: 85_000, startedAtMs: -19_000, endedAtMs: -14_000 },
  });
});

test('an end that was not delivered needs an owner', () => {
  const view = endedView({ lifetime: 'persistent' });

  expect(toRestoredProcess(toRecord(view), reader()).isUnowned).toBe(false);
});

test('leftovers of this boot are watched', () => {
  const view = endedView({ leftovers: [leftover], restarts: 2, attempt: 3 });
  const { life } = toRestoredProcess(toRecord(view, { leader }), reader());

  expect(life).toMatchObject({
    view: { leftovers: [leftover] },
    past: { attempt: 3, restartTimesMs: [0, 0], stop: null, end: { endStatus: 'completed', pid: 1 } },
  });
});

test.each([
  ['of another boot', { leftovers: [leftover] }, 'next'],
  ['of a process that was killed', { leftovers: [leftover], status: 'killed' as const }, 'boot'],
])('leftovers %s are forgotten', (_, own, bootId) => {
  const { life } = toRestoredProcess(toRecord(endedView(own), { leader }), reader({ bootId }));

  expect(life).toMatchObject({ view: { leftovers: [] }, past: null });
});

test('the leader says of which boot leftovers are', () => {
  const view = endedView({ leftovers: [leftover] });
  const record = toRecord(view, { leader, scope: { ...scope, bootId: 'before' } });

  expect(toRestoredProcess(record, reader()).life).toMatchObject({ view: { leftovers: [leftover] } });
});

test('settings come back from a record', () => {
  const settings = {
    ...{ background: true, onTimeout: 'kill', limits: {}, leftoverPolicy: 'keep', restart: {} },
  };

  expect(toRunSettings({ ...settings, likeness: 'f1', files: {} } as never)).toEqual(settings);
  expect(toReadinessSettings({ within: 5, line: { source: 'up', flags: 'i' } })).toEqual({
    within: 5,
    line: /up/i,
  });
  expect(toReadinessSettings({ within: 5, line: 'up', port: 80 })).toEqual({
    within: 5,
    line: 'up',
    port: 80,
  });
  expect(toReadinessSettings({ within: 5, port: 80 })).not.toHaveProperty('line');
});
