import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LifecycleEvent } from '../../src/process/lifecycle-event.ts';
import type { SupervisedProcess } from '../../src/process/supervised-process.ts';
import { createProcessStopper } from '../../src/supervisor/process-stopper.ts';

/** Stops one process, and notes in order what is done with it. */
function arrange({
  lifetime = 'persistent' as 'persistent' | 'session',
  status = 'backgrounded',
  queued = false,
  isUnspawned = false,
  detaches = true,
} = {}) {
  const done: unknown[] = [];
  const process = {
    ...{ id: 'tool_a', plan: { lifetime }, status, life: { isUnspawned } },
    view: () => ({ status, queued }),
    detach: () => {
      done.push('detach');
      return detaches;
    },
    orders: { stop: (order: object) => done.push(order) },
  } as unknown as SupervisedProcess;
  const stopper = createProcessStopper({
    alive: () => [process],
    save: ({ id }) => done.push(`save ${id}`),
    emit: (id, { type }) => done.push(`${type} of ${id}`),
    forceKill: (id) => done.push(`kill ${id}`),
  });
  return {
    done,
    stopAll: () => stopper.stopAll({ graceMs: 300 }),
    tell: (type: LifecycleEvent['type']) => stopper.on({ type } as LifecycleEvent, process),
  };
}

const stop = { signal: 'SIGTERM', graceMs: 300, by: 'supervisor' };

test.each([
  ['a session process', { lifetime: 'session' }, [stop]],
  ['a persistent process', {}, ['detach', 'process.detached of tool_a']],
  ['a persistent process in the queue', { status: 'pending', queued: true }, [stop]],
  [
    'a persistent process in a queue of other hosts',
    { status: 'pending', isUnspawned: true },
    ['save tool_a', 'detach', 'process.detached of tool_a'],
  ],
  ['a persistent process that starts', { status: 'pending', detaches: false }, ['detach']],
  [
    'a persistent process between two attempts',
    { status: 'restarting', isUnspawned: true },
    ['save tool_a', 'detach', 'process.detached of tool_a'],
  ],
] as const)('a shutdown stops or detaches %s', (_, given, expected) => {
  const { done, stopAll } = arrange(given);

  stopAll();

  expect(done).toEqual(expected);
});

test.each([
  'process.started',
  'process.adopted',
  'process.stopping',
  'process.restarting',
  'process.ended',
] as const)('a persistent process is detached after %s of a shutdown', async (type) => {
  const { done, stopAll, tell } = arrange({ detaches: false });
  stopAll();
  done.splice(0);

  tell(type);
  const doneAtOnce = [...done];
  await setImmediate();

  // The chart finishes its step first.
  expect([doneAtOnce, done]).toEqual([[], ['detach']]);
});

test('no other event detaches, nor does any before the shutdown', async () => {
  const { done, stopAll, tell } = arrange();

  tell('process.started');
  await setImmediate();
  const doneBefore = [...done];
  stopAll();
  done.splice(0);
  tell('process.ready');
  await setImmediate();

  expect([doneBefore, done]).toEqual([[], []]);
});

test('a session process that starts during a shutdown is not detached', async () => {
  const { done, stopAll, tell } = arrange({ lifetime: 'session' });
  stopAll();
  done.splice(0);

  tell('process.started');
  await setImmediate();

  expect(done).toEqual([]);
});

test('a process whose actor broke is killed without it', () => {
  const { done, tell } = arrange();

  tell('process.broken');

  expect(done).toEqual(['kill tool_a']);
});
