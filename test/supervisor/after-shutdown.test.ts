import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createScriptedBackend, createVirtualClock, type Script } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';

const endAtOnce: Script = (run) => {
  run.comeUp();
  run.exit();
};

async function endSupervisor() {
  const directory = tempDir();
  const clock = createVirtualClock();
  const stateDirectory = directory.file('state');
  const backend = createScriptedBackend(endAtOnce);
  const supervisor = createSupervisor({ clock, backend, stateDirectory, control: false });
  const { id, ended } = supervisor.start({ command: 'x' });
  await ended;
  await supervisor.shutdown();
  const note = () => {
    supervisor.transfer(id, 'heir');
    clock.advance(100);
  };
  return { directory, stateDirectory, id, note };
}

test('a timeline entry after a shutdown registers no supervisor', async () => {
  const { directory, stateDirectory, id, note } = await endSupervisor();
  using _ = directory;

  note();

  const record = JSON.parse(readFileSync(`${stateDirectory}/processes/${id}.json`, 'utf8'));
  expect(record.view.owner).toBe('heir');
  expect(readdirSync(`${stateDirectory}/supervisors`)).toEqual([]);
});

test('a state directory that is removed after a shutdown stays away', async () => {
  const { directory, stateDirectory, note } = await endSupervisor();
  using _ = directory;
  rmSync(stateDirectory, { recursive: true });

  note();

  expect(existsSync(stateDirectory)).toBe(false);
});
