import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createScriptedBackend, createVirtualClock } from '../../src/testing/index.ts';

test('views follow the output, at most four times a second', async () => {
  const clock = createVirtualClock();
  const backend = createScriptedBackend();
  await using supervisor = createSupervisor({ stateDirectory: false, backend, clock });
  const handle = supervisor.start({ command: 'flood', background: true });
  const sizes: number[] = [];
  const subscription = handle.view$.subscribe(({ output }) => sizes.push(output.bytes));

  for (let step = 0; step < 100; step += 1) {
    backend.lastRun.print('0123456789');
    clock.advance(10);
  }
  clock.advance(10_000);
  subscription.unsubscribe();
  backend.lastRun.print('unseen');
  clock.advance(10_000);

  expect(sizes).toEqual([0, 250, 500, 750, 1_000]);
});
