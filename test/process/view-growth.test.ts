import { expect, test } from 'vitest';
import { createVirtualHarness } from '../support/virtual.ts';

test('views follow the output, at most four times a second', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend, clock } = rig;
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
