import { expect, test } from 'vitest';
import { toLocalPid } from '../../src/process/process-view.ts';
import { endedView, runningView } from '../support/views.ts';

test.each([
  ['a process of this machine has its pid', null, 4711],
  ['a process of another host has none', 'pool:gpu', null],
])('%s', (_, host, pid) => {
  expect(toLocalPid({ host, view: runningView({ pid: 4711 }) })).toBe(pid);
});

test('a process that never started has no pid', () => {
  expect(toLocalPid({ host: null, view: endedView({ pid: null }) })).toBeNull();
});
