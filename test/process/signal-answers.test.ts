import { expect, test } from 'vitest';
import type { SignalOutcome } from '../../machines/process/events.ts';
import type { ProcessLife } from '../../src/process/process-life.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import { type SignalOrder, signalProcess } from '../../src/process/signal-process.ts';
import { endedView, runningView } from '../support/views.ts';

const signal = { type: 'process.signal', signal: 'SIGUSR1', to: 'tree', by: 'user' } as SignalOrder;
const pause = { type: 'process.pause', by: 'user' } as SignalOrder;
const resume = { type: 'process.resume', by: 'user' } as SignalOrder;

/** Answer to an order, where the backend has this outcome, or the chart refuses it. */
function order(
  given: SignalOrder,
  { view = runningView() as ProcessView, outcome = null as SignalOutcome | null, isDetached = false } = {},
) {
  const life = {
    isDetached,
    can: () => outcome !== null,
    send: ({ reply }: { reply: (outcome: SignalOutcome | null) => void }) => reply(outcome),
  } as unknown as ProcessLife;
  return signalProcess({ id: 'tool_a', life, view: () => view }, given);
}

const reached = (pids: readonly number[], running: readonly number[] = []) =>
  ({ ok: true, pids, running }) as SignalOutcome;
const paused = runningView({ pausedAt: 1 });

test.each([
  [signal, reached([7]), runningView(), 'SIGUSR1 was sent to 1 process of tool_a.'],
  [signal, reached([7, 8]), runningView(), 'SIGUSR1 was sent to 2 processes of tool_a.'],
  [signal, reached([]), runningView(), 'SIGUSR1 was sent to 0 processes of tool_a.'],
  [
    signal,
    reached([7]),
    paused,
    'SIGUSR1 was sent to 1 process of tool_a. It is paused, and hears of it when it is resumed.',
  ],
  [pause, reached([7]), runningView(), 'Process tool_a is paused (1 process).'],
  [pause, reached([7, 8]), paused, 'Process tool_a was already paused (2 processes).'],
  [
    pause,
    reached([7, 8], [8]),
    runningView(),
    'Process tool_a is paused (2 processes). Not halted: 8. A process in a call of the system halts when the call returns; a process of another user does not.',
  ],
  [
    pause,
    reached([7, 8], [7, 8]),
    runningView(),
    'Process tool_a is paused (2 processes). Not halted: 7, 8. A process in a call of the system halts when the call returns; a process of another user does not.',
  ],
  [resume, reached([7]), paused, 'Process tool_a continues (1 process).'],
  [resume, reached([]), runningView(), 'Process tool_a was not paused.'],
])('an order is answered in words (%#)', async (given, outcome, view, message) => {
  expect(await order(given, { outcome, view })).toEqual({
    ok: true,
    pids: outcome.ok ? outcome.pids : [],
    message,
  });
});

test('an order that reached no process says why', async () => {
  const outcome = { ok: false, error: 'It is not running.' } as SignalOutcome;

  expect(await order(signal, { outcome })).toEqual({
    ok: false,
    code: 'notReached',
    message: 'Process tool_a was not reached. It is not running.',
  });
});

const leftover = { pid: 7, pgid: 7, startedAt: '1', command: 'x' };
const inStatus = (status: string) => ({ ...runningView(), status }) as unknown as ProcessView;

test.each<[string, ProcessView, string]>([
  ['ended', endedView(), 'it exited with code 0'],
  [
    'ended',
    endedView({ leftovers: [leftover] }),
    'it exited with code 0, and a kill ends what it left running',
  ],
  ['notStarted', inStatus('pending'), 'it has not been started yet'],
  ['notStarted', inStatus('restarting'), 'it waits for its restart'],
  ['stopping', inStatus('stopping'), 'it is being stopped'],
  ['stopping', runningView(), 'its leader has exited, and its end is being determined'],
])('an order that is refused as %s says why (%#)', async (code, view, why) => {
  expect(await order(signal, { view })).toEqual({
    ok: false,
    code,
    message: `Process tool_a was not signalled: ${why}.`,
  });
});

test('a process that was left running takes no order', async () => {
  expect(await order(signal, { view: endedView(), isDetached: true })).toEqual({
    ok: false,
    code: 'detached',
    message: 'Process tool_a was not signalled: its supervisor has shut down and left it running.',
  });
});
