import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Script } from '../../src/testing/index.ts';
import { openDirectoryHarness } from '../support/directory.ts';

const endAtOnce: Script = (run) => {
  run.comeUp();
  run.exit();
};

async function endSupervisor() {
  const { path: stateDirectory, open } = openDirectoryHarness({ recordsIn: 'files', script: endAtOnce });
  const { supervisor, clock } = open();
  const { id, ended } = supervisor.start({ command: 'x' });
  await ended;
  await supervisor.shutdown();
  const note = () => {
    supervisor.transfer(id, 'heir');
    clock.advance(100);
  };
  return { stateDirectory, id, note };
}

test('a timeline entry after a shutdown registers no supervisor', async () => {
  const { stateDirectory, id, note } = await endSupervisor();

  note();

  const record = JSON.parse(readFileSync(`${stateDirectory}/processes/${id}.json`, 'utf8'));
  expect(record.view.owner).toBe('heir');
  expect(readdirSync(`${stateDirectory}/supervisors`)).toEqual([]);
});

test('a state directory that is removed after a shutdown stays away', async () => {
  const { stateDirectory, note } = await endSupervisor();
  rmSync(stateDirectory, { recursive: true });

  note();

  expect(existsSync(stateDirectory)).toBe(false);
});
