import { expect, test } from 'vitest';
import type { EndReason } from '../../machines/process/context.ts';
import { describeEnd, describeLimit } from '../../src/process/describe-end.ts';
import { endedView, runningView } from '../support/views.ts';

const killed = { type: 'killed', by: 'user', signal: 'SIGTERM', escalated: false } as const;

test.each<[EndReason, { code: number | null; signal: 'SIGTERM' | null } | null, string]>([
  [{ type: 'exited', code: 3 }, null, 'exited with code 3'],
  [{ type: 'signalled', signal: 'SIGHUP', by: 'outside' }, null, 'was ended by SIGHUP from outside'],
  [{ type: 'timed_out', limit: 'timeout', afterMs: 5_000 }, null, 'was killed at its limit timeout of 5s'],
  [killed, null, 'was killed by the user with SIGTERM'],
  [killed, { code: null, signal: 'SIGTERM' }, 'was killed by the user with SIGTERM'],
  [killed, { code: 0, signal: null }, 'was killed by the user with SIGTERM and exited with code 0'],
  [{ ...killed, escalated: true }, null, 'was killed by the user with SIGTERM, then SIGKILL'],
  [
    { type: 'spawnFailed', cause: 'other', code: null, message: 'No room.' },
    null,
    'could not be started: No room.',
  ],
  [{ type: 'cancelled', by: 'agent' }, null, 'was cancelled by the agent before it started'],
  [
    { type: 'cancelled', by: 'agent' },
    { code: 1, signal: null },
    'was cancelled by the agent before it started again',
  ],
  [
    { type: 'outOfMemory', limitBytes: 64 * 1024, signal: 'SIGKILL' },
    null,
    'was ended by the kernel with SIGKILL: it exceeded its limit memoryBytes of 64.0 KiB',
  ],
  [
    { type: 'fileTooLarge', limitBytes: 2 * 1024, signal: 'SIGXFSZ' },
    null,
    'was ended by the kernel with SIGXFSZ: a file exceeded its limit fileBytes of 2.0 KiB',
  ],
  [{ type: 'lost', why: 'the machine was off' }, null, 'was lost: the machine was off'],
])('the end %j with the exit %j is a clause', (reason, exit, text) => {
  expect(describeEnd(reason, exit)).toBe(text);
});

test.each([
  [runningView({ startedAt: 1_000, runtimeMs: 2_000, endsAt: 10_000 }), '7s'],
  [runningView({ startedAt: 1_000, runtimeMs: 20_000, endsAt: 10_000 }), '0 ms'],
])('a limit is told by the time that is left', (view, left) => {
  expect(describeLimit(view)).toEqual([`A time limit ends it in ${left} if it has not ended by then.`]);
});

test('a process without a limit has no such sentence', () => {
  expect(describeLimit(runningView())).toEqual([]);
  expect(describeLimit(endedView())).toEqual([]);
});
