import { expect, test } from 'vitest';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const loss = { type: 'process.lost', why: 'its end was not observed' } as const;

async function startStopping() {
  const rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  const run = rig.run(0);
  // What was signalled says nothing by itself.
  run.obeys = () => false;
  const answer = handle.kill({ grace: 1_000 });
  await turn();
  return { rig, handle, run, answer };
}

test('an unobserved end is a kill once the tree is gone', async () => {
  const { rig, handle, run, answer } = await startStopping();
  await using _ = rig;

  run.tell(loss);
  const before = handle.status;
  run.tell({ type: 'tree.gone', ended: [] });
  run.endOutput();

  expect(before).toBe('stopping');
  expect(await answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  expect(await handle.ended).toMatchObject({ status: 'killed', exit: null, reason: { type: 'killed' } });
});

test('a process seen alive after a loss is a survivor', async () => {
  const { rig, handle, run, answer } = await startStopping();
  await using _ = rig;

  run.tell(loss);
  rig.clock.advance(1_000);
  rig.clock.advance(60_000);

  expect(await answer).toMatchObject({ receipt: { survivors: [{ pid: 1 }] } });
  expect(handle.status).toBe('stopping');
  run.tell({ type: 'tree.gone', ended: [] });
});
