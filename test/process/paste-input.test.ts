import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createScriptedBackend } from '../../src/testing/index.ts';

test('a paste of anything but text throws and types nothing', async () => {
  const backend = createScriptedBackend(undefined, { terminal: true });
  await using supervisor = createSupervisor({ stateDirectory: false, backend });
  const handle = supervisor.start({ command: 'edit', interactive: true, background: true });

  const pasting = handle.paste(5 as never);

  await expect(pasting).rejects.toMatchObject({ name: 'TroupeError', code: 'invalid-option' });
  expect(handle.status).toBe('backgrounded');
  expect(backend.lastRun.pasted).toEqual([]);
});
