import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSupervisor } from 'troupe';
import { expect, test } from 'vitest';

test('the packed package starts a command, not the sources', async () => {
  const entry = realpathSync(fileURLToPath(import.meta.resolve('troupe')));
  const supervisor = createSupervisor({ stateDirectory: false });
  const { status } = await supervisor.start({ command: ['true'] }).ended;
  const { survivors } = await supervisor.shutdown();

  expect(entry).toBe(join(import.meta.dirname, 'node_modules/troupe/dist/library/index.js'));
  expect(status).toBe('completed');
  expect(survivors).toEqual([]);
});
