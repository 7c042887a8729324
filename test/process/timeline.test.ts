import { expect, test } from 'vitest';
import type { ProcessAnnouncement, SignalCause } from '../../machines/process/events.ts';
import type { LifeView } from '../../machines/process/view.ts';
import {
  addEntry,
  hasPendingNotice,
  Timeline,
  type TimelineEntry,
  toTimelineEntry,
} from '../../src/process/timeline.ts';
import { endedView, runningView } from '../support/views.ts';

test('a timeline keeps its first and newest entries', () => {
  const timeline: TimelineEntry[] = [];

  for (let at = 0; at < 10_000; at += 1) addEntry(timeline, { at, type: 'process.restarting' });

  const times = timeline.map(({ at }) => at);
  expect(times).toHaveLength(200);
  expect(times.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  expect(times.slice(50)).toEqual(Array.from({ length: 150 }, (_, index) => 9_850 + index));
});

/** A timeline at noon, with the events that it emits. */
function arrange(earlier: readonly TimelineEntry[] = []) {
  const emitted: string[] = [];
  const timeline = new Timeline(earlier, {
    id: 'tool_a',
    deps: {
      clock: { nowMs: () => 0, epochMs: () => 12_000, at: () => () => {} },
      emit: (id, { type }) => void emitted.push(`${id} ${type}`),
    },
  });
  return { timeline, emitted };
}

/** Text of the entry that an announcement makes. */
function entryOf(announcement: ProcessAnnouncement, view: object = {}): TimelineEntry | undefined {
  const { timeline } = arrange();
  timeline.addAnnouncement(announcement, { view: view as LifeView, cause: null });
  return timeline.entries[0];
}

test('reads of one requester are one entry, the last', () => {
  const timeline: TimelineEntry[] = [];
  const read = (at: number, by: 'user' | 'agent') => addEntry(timeline, { at, type: 'process.read', by });

  read(1, 'user');
  read(2, 'user');
  read(3, 'agent');
  addEntry(timeline, { at: 4, type: 'process.ready' });
  read(5, 'agent');
  addEntry(timeline, { at: 6, type: 'process.ready' });
  addEntry(timeline, { at: 7, type: 'process.ready' });

  expect(timeline.map(({ at }) => at)).toEqual([2, 3, 4, 5, 6, 7]);
});

test('an entry has its time, and makes the record out of date unless it is a read', () => {
  const { timeline, emitted } = arrange([{ type: 'process.created', at: 1 }]);

  timeline.add('process.read', { by: 'user' });
  expect(emitted).toEqual([]);
  timeline.add('process.notified', { detail: 'conv_1' });

  expect(emitted).toEqual(['tool_a record.changed']);
  expect(timeline.entries).toEqual([
    { type: 'process.created', at: 1 },
    { type: 'process.read', at: 12_000, by: 'user' },
    { type: 'process.notified', at: 12_000, detail: 'conv_1' },
  ]);
});

test('the cause of the chart stands in the entry', () => {
  const { timeline } = arrange();
  const cause = { event: 'process.stop', guards: ['isAlive'] };

  timeline.addAnnouncement({ type: 'process.stopping' }, { view: {} as LifeView, cause });

  expect(timeline.entries).toEqual([{ type: 'process.stopping', at: 12_000, cause }]);
});

const survivor = { pid: 2 ** 22, pgid: 7, startedAt: '1', command: 'nfs' };

test.each<[ProcessAnnouncement, object, object]>([
  [{ type: 'process.started' }, { attempt: 2, pid: 4711 }, { detail: 'attempt 2, pid 4711' }],
  [{ type: 'process.started' }, { attempt: 1 }, { detail: 'attempt 1' }],
  [{ type: 'process.adopted' }, {}, { by: 'supervisor' }],
  [{ type: 'process.released' }, {}, { by: 'supervisor' }],
  [{ type: 'process.backgrounded', by: 'agent' }, {}, { by: 'agent' }],
  [
    { type: 'process.paused', by: 'user', tree: { via: 'signals', pids: [7] } },
    {},
    { by: 'user', detail: '1 process' },
  ],
  [
    { type: 'process.resumed', by: 'user', tree: { via: 'freezer', pids: [7, 8] } },
    {},
    { by: 'user', detail: '2 processes by the freezer of its cgroup' },
  ],
  [
    { type: 'process.survived' },
    { survivors: [survivor] },
    { detail: '4194304 (nfs), which was alive at the last check' },
  ],
  [{ type: 'process.survived' }, {}, {}],
  [
    { type: 'process.restarting' },
    { reason: { type: 'exited', code: 3 } },
    { detail: 'it exited with code 3' },
  ],
  [{ type: 'process.restarting' }, {}, {}],
  [{ type: 'process.ended' }, { status: 'failed' }, { detail: 'failed' }],
  [
    { type: 'process.ended' },
    { status: 'killed', reason: { type: 'cancelled', by: 'agent' } },
    { by: 'agent', detail: 'killed' },
  ],
  [
    { type: 'process.ended' },
    { status: 'killed', reason: { type: 'killed', by: 'agent' } },
    { detail: 'killed' },
  ],
  [{ type: 'process.stopping' }, {}, {}],
  [{ type: 'process.silent' }, {}, {}],
  [{ type: 'process.elapsed' }, {}, {}],
  [{ type: 'leftovers.ended' }, {}, {}],
])('the announcement %j becomes an entry', (announcement, view, facts) => {
  expect(entryOf(announcement, view)).toEqual({ type: announcement.type, at: 12_000, ...facts });
});

/** Text of a signal. */
const textOf = (sent: object) =>
  entryOf({
    ...{ type: 'process.signalled', by: 'user', cause: { type: 'signal' } },
    ...{ signal: 'SIGTERM', via: 'process', pids: [7] },
    ...sent,
  } as ProcessAnnouncement)?.detail;

test.each<[SignalCause, string]>([
  [{ type: 'kill' } as SignalCause, ': a kill'],
  [{ type: 'limit', limit: 'timeout', afterMs: 5_000 } as SignalCause, ': its limit timeout of 5s'],
  [{ type: 'hold' } as SignalCause, ': to be restarted in order'],
  [{ type: 'restart' } as SignalCause, ': a restart'],
  [{ type: 'grace' }, ': alive at the end of its grace period'],
  [{ type: 'leftovers', isKept: true }, ': its leftovers'],
  [{ type: 'leftovers', isKept: false }, ': its leftovers are not kept'],
  [{ type: 'signal' }, ''],
  [{ type: 'pause' }, ': a pause'],
  [{ type: 'resume' }, ': the end of a pause'],
  [{ type: 'exit' }, ': the paused process has ended'],
  [{ type: 'hangup' }, ': its terminal is gone'],
  [{ type: 'lost' }, ': it was lost'],
])('a signal is told with its cause: %j', (cause, words) => {
  expect(textOf({ cause })).toBe(`SIGTERM to 1 process (7)${words}`);
});

test.each([
  [{ via: 'process', pids: [7, 8] }, 'SIGTERM to 2 processes (7, 8)'],
  [{ via: 'group', pids: [7] }, 'SIGTERM to 1 process (7), by its group'],
  [{ via: 'cgroup', pids: [7] }, 'SIGTERM to 1 process (7), by its cgroup'],
  [{ via: 'process', pids: [1, 2, 3, 4, 5] }, 'SIGTERM to 5 processes (1, 2, 3, 4, 5)'],
  [{ via: 'process', pids: [1, 2, 3, 4, 5, 6] }, 'SIGTERM to 6 processes (1, 2, 3, 4, 5, …)'],
  [{ via: 'function', pids: [] }, 'SIGTERM as its abort signal'],
  [{ via: 'thread', pids: [] }, 'SIGTERM by ending its thread'],
])('a signal is told with its receivers: %j', (sent, text) => {
  expect(textOf(sent)).toBe(text);
});

test('a forced kill is an entry of the supervisor, with a hundred pids at most', () => {
  const { timeline } = arrange();
  const pids = Array.from({ length: 101 }, (_, index) => index + 1);

  timeline.addForcedKill({ signal: 'SIGKILL', via: 'cgroup', pids });

  expect(timeline.entries).toEqual([
    {
      ...{ type: 'process.signalled', at: 12_000, by: 'supervisor' },
      detail: 'SIGKILL to 101 processes (1, 2, 3, 4, 5, …), by its cgroup: it was lost',
      signal: { signal: 'SIGKILL', via: 'cgroup', pids: pids.slice(0, 100) },
    },
  ]);
});

test.each([
  ['secret written', 'process.secretWritten'],
  ['not ready', 'process.unready'],
  ['limits changed', 'limits.changed'],
  ['leftovers ended', 'leftovers.ended'],
  ['started', 'process.started'],
])('the older entry "%s" is %s', (event, type) => {
  expect(toTimelineEntry({ event, at: 1, detail: 'x' })).toEqual({ type, at: 1, detail: 'x' });
});

test('an entry of today stays as it is', () => {
  const entry: TimelineEntry = { type: 'process.ready', at: 1 };

  expect(toTimelineEntry(entry)).toBe(entry);
});

const notified: readonly TimelineEntry[] = [{ type: 'process.notified', at: 1 }];
const leftovers = [survivor];

test.each([
  ['of a running process', runningView({ lifetime: 'persistent' }), [], false],
  ['of a session process', endedView(), [], false],
  ['of a persistent process', endedView({ lifetime: 'persistent' }), [], true],
  ['that was delivered', endedView({ lifetime: 'persistent' }), notified, false],
  ['with leftovers', endedView({ leftovers }), notified, true],
  ['that was delivered, with leftovers', endedView({ lifetime: 'persistent', leftovers }), notified, true],
])('an end %s needs an owner or none', (_, view, timeline, isNeeded) => {
  expect(hasPendingNotice({ view, timeline })).toBe(isNeeded);
});
