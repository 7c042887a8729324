import { expect, test } from 'vitest';
import { createVirtualHarness } from '../support/virtual.ts';

test('entries of the timeline name the event that the chart took, and the guards that chose', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend, clock } = rig;
  const handle = supervisor.start({ command: 'make', timeout: '30s' });
  const other = supervisor.start({ command: 'lint' });
  clock.advance(30_000);
  backend.lastRun.exit({ code: 2 });
  await other.ended;
  void handle.kill();
  await handle.ended;

  const causes = (id: string) =>
    Object.fromEntries(
      (supervisor.get(id)?.timeline() ?? []).map(({ type, cause }) => [
        type,
        cause && [cause.event, ...cause.guards].join(' '),
      ]),
    );
  expect(causes(handle.id)).toMatchObject({
    'process.created': undefined,
    'process.started': 'process.spawned',
    'process.backgrounded': expect.stringMatching(/^deadline\.wait is\w+/),
    'process.stopping': 'process.stop',
    'process.ended': 'tree.gone isSettled',
  });
  expect(causes(other.id)).toMatchObject({ 'process.ended': expect.stringMatching(/^tree\.surveyed/) });
});
