import { expect, test } from 'vitest';
import { applyLiveEvent, emptyLiveState, type LiveState, toLiveEvents } from '../../src/live/live-state.ts';
import type { MachineStep, MachineView } from '../../src/live/machine-view.ts';

const step = (at: number): MachineStep => ({
  at,
  event: 'tick',
  guards: [],
  transitions: [],
  states: ['on'],
});
const chart = { name: 'clock', description: '', states: [], transitions: [] };

function withMachine(path: readonly MachineStep[]): LiveState {
  const machine: MachineView = { id: 'x:1', name: 'clock', chart, status: 'active', path };
  return { ...emptyLiveState, machines: { 'x:1': machine } };
}

test('events lead from one state to the other, and send only what is new', () => {
  const steps = [1, 2, 3, 4, 5].map(step);
  const states = [
    emptyLiveState,
    withMachine(steps.slice(0, 2)),
    withMachine(steps.slice(0, 3)),
    // The oldest steps are forgotten while new ones arrive.
    withMachine(steps.slice(2, 5)),
    withMachine([step(9)]),
    emptyLiveState,
  ];
  let seen: LiveState = emptyLiveState;
  let before: LiveState = emptyLiveState;

  for (const after of states) {
    const events = toLiveEvents(before, after);
    seen = (JSON.parse(JSON.stringify(events)) as typeof events).reduce(applyLiveEvent, seen);
    expect(seen).toEqual(after);
    before = after;
  }

  const [first, second] = [states[1], states[2]] as [LiveState, LiveState];
  expect(toLiveEvents(first, second)).toMatchObject([
    { type: 'machine.changed', dropped: 0, steps: [{ at: 3 }] },
  ]);
  expect(JSON.stringify(toLiveEvents(first, second))).not.toContain('chart');
});
