import { expect, test } from 'vitest';
import { toGroupEnd, toGroupReadiness, toStopReport } from '../../src/groups/group-reports.ts';
import type { GroupStopReport, MemberReadiness } from '../../src/groups/process-group.ts';
import { endedView } from '../support/views.ts';

const ready: MemberReadiness = { name: 'db', state: 'ready' };

test.each<[readonly MemberReadiness[], boolean, string]>([
  [[ready], true, 'all 1 are ready'],
  [[ready, { ...ready, name: 'web' }], true, 'all 2 are ready'],
  [
    [ready, { name: 'api', state: 'failed', why: 'it exited with code 3' }],
    false,
    'api is not ready: it exited with code 3',
  ],
  [
    [
      { name: 'api', state: 'failed', why: 'it exited with code 3' },
      { name: 'web', state: 'notStarted', why: 'web is not started: the group was stopped' },
      ready,
    ],
    false,
    'api is not ready: it exited with code 3\nweb is not started: the group was stopped',
  ],
])('the readiness of a group is told in words (%#)', (members, ok, message) => {
  expect(toGroupReadiness(members)).toEqual({ ok, members, message });
});

const survivor = { pid: 7, pgid: 7, startedAt: '1', command: 'x' };
const receipt = { signalled: 'SIGTERM', escalated: false, survivors: [], leftoversEnded: [], durationMs: 1 };
const toMember = (name: string, survivors: readonly (typeof survivor)[] = []) =>
  ({
    name,
    answer: {
      type: survivors.length === 0 ? 'killed' : 'survived',
      receipt: { ...receipt, survivors },
      message: `Words about ${name}.`,
    },
  }) as unknown as GroupStopReport['members'][number];
const cancelled = { name: 'cron', answer: { type: 'cancelled', message: 'Words about cron.' } } as const;

test.each([
  [[], true, 'stopped: nothing was running'],
  [[toMember('web')], true, 'stopped: web'],
  [[toMember('web'), cancelled, toMember('db')], true, 'stopped: web, cron, db'],
  [[toMember('web'), toMember('db', [survivor])], false, 'db: Words about db.'],
  [
    [toMember('web', [survivor]), toMember('db', [survivor])],
    false,
    'web: Words about web.\ndb: Words about db.',
  ],
])('the stop of a group is told in words (%#)', (members, ok, message) => {
  expect(toStopReport(members)).toEqual({ ok, members, message });
});

test('the end of a group is told after its notes', () => {
  const members = [
    { name: 'db', end: endedView() },
    { name: 'web', end: null },
  ];

  expect(toGroupEnd(members, ['db terminated: oneForAll'])).toEqual({
    members,
    message: 'db terminated: oneForAll\ndb exited with code 0\nweb was never started',
  });
});
