import { expect, test } from 'vitest';
import { createVirtualHarness } from '../support/virtual.ts';

test('a paste of anything but text throws and types nothing', async () => {
  await using rig = createVirtualHarness({ hasTerminal: true });
  const { supervisor, backend } = rig;
  const handle = supervisor.start({ command: 'edit', interactive: true, background: true });

  const pasting = handle.paste(5 as never);

  await expect(pasting).rejects.toMatchObject({ name: 'TroupeError', code: 'invalid-option' });
  expect(handle.status).toBe('backgrounded');
  expect(backend.lastRun.pasted).toEqual([]);
});
