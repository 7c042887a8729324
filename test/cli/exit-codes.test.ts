import { expect, test } from 'vitest';
import type { EndReason, ExitStatus } from '../../machines/process/context.ts';
import { toProcessExitCode } from '../../src/cli/exit-codes.ts';

const killed = { type: 'killed', by: 'user', signal: 'SIGTERM', escalated: false } as const;
const notStarted = (cause: Extract<EndReason, { type: 'spawnFailed' }>['cause']) =>
  ({ type: 'spawnFailed', cause, code: null, message: '' }) as const;

test.each<[string, EndReason, ExitStatus | null, number]>([
  ['its own code', { type: 'exited', code: 7 }, { code: 7, signal: null }, 7],
  ['a signal from outside', { type: 'signalled', signal: 'SIGSEGV', by: 'outside' }, null, 139],
  ['a kill', killed, { code: null, signal: 'SIGTERM' }, 143],
  ['a kill that went to the end', killed, { code: null, signal: 'SIGKILL' }, 137],
  ['a kill that it answered', killed, { code: 0, signal: null }, 0],
  ['a time limit', { type: 'timed_out', limit: 'timeout', afterMs: 5 }, { code: 0, signal: null }, 124],
  ['no such program', notStarted('missing-program'), null, 127],
  ['no permission', notStarted('no-permission'), null, 126],
  ['no such directory', notStarted('missing-cwd'), null, 125],
  ['a lost end', { type: 'lost', why: 'x' }, null, 125],
])('%s has the exit code of a shell', (_name, reason, exit, code) => {
  expect(toProcessExitCode({ reason, exit })).toBe(code);
});

test.each<[Extract<EndReason, { type: 'spawnFailed' }>['cause'], number]>([
  ['missing-program', 127],
  ['no-permission', 126],
  ['arguments-too-long', 126],
  ['other', 126],
  ['missing-cwd', 125],
  ['too-many-files', 125],
  ['out-of-processes', 125],
])('a start that failed for %s has the code %i', (cause, code) => {
  expect(toProcessExitCode({ reason: notStarted(cause), exit: null })).toBe(code);
});

test('a process that was cancelled before its start has the code of a fault', () => {
  expect(toProcessExitCode({ reason: { type: 'cancelled' } as EndReason, exit: null })).toBe(125);
});

test('a kill without a known exit has the code of its signal', () => {
  expect(toProcessExitCode({ reason: killed, exit: null })).toBe(143);
});
