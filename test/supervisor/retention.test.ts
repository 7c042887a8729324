import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Script } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const endAtOnce: Script = (run) => {
  run.comeUp();
  run.exit();
};

test('ended processes are kept for their retention', async () => {
  await using rig = createVirtualHarness({ retention: '10m', script: endAtOnce });
  const { supervisor, clock } = rig;
  const { id } = supervisor.start({ command: 'x' });
  await turn();

  clock.advance(10 * 60_000);
  expect(supervisor.get(id)?.status).toBe('completed');
  clock.advance(2 * 60_000);

  expect(supervisor.get(id)).toBeUndefined();
  expect(supervisor.list()).toEqual([]);
});

test('a live process is never forgotten', async () => {
  await using rig = createVirtualHarness({ retention: 0, maxFinished: 0, maxBackgroundTime: 0 });
  const { supervisor, clock } = rig;
  const { id } = supervisor.start({ command: 'x', background: true });

  clock.advance(30 * 86_400_000);
  const { forgotten } = await supervisor.sweep();

  expect(forgotten).toBe(0);
  expect(supervisor.get(id)?.status).toBe('backgrounded');
});

test('beyond the bound the oldest are forgotten', async () => {
  await using rig = createVirtualHarness({ maxFinished: 3, script: endAtOnce });
  const { supervisor } = rig;
  const ids: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    const handle = supervisor.start({ command: 'x' });
    ids.push(handle.id);
    await handle.ended;
  }

  expect(supervisor.list().map(({ id }) => id)).toEqual(ids.slice(-3));
});

test('a handle stays good when its process is forgotten', async () => {
  await using rig = createVirtualHarness({ maxFinished: 0 });
  const { supervisor } = rig;
  const handle = supervisor.start({ command: 'x' });
  rig.run(0).print('kept\n');
  rig.run(0).exit();

  const view = await handle.ended;

  expect(supervisor.get(handle.id)).toBeUndefined();
  expect(view.status).toBe('completed');
  expect(handle.read().text).toBe('kept\n');
  expect((await supervisor.kill(handle.id)).type).toBe('notFound');
});

test('a shutdown report includes processes that are no longer kept', async () => {
  const rig = createVirtualHarness({ maxFinished: 0 });
  const { id } = rig.supervisor.start({ command: 'x' });

  const report = await rig.supervisor.shutdown();

  expect(report.ended).toEqual([id]);
});

test('a sweep removes old logs and only logs', async () => {
  using directory = tempDir();
  await using rig = createVirtualHarness({ stateDirectory: directory.path, logRetention: '1d' });
  const { supervisor, clock } = rig;
  const processes = directory.file('processes');
  const old = clock.epochMs() / 1_000 - 2 * 86_400;
  const live = supervisor.start({ command: 'x', background: true });
  const ofOld = ['tool_old.log', 'tool_old.log.times', 'tool_old.status'];
  for (const name of [...ofOld, 'tool_new.log', 'notes.txt', `${live.id}.log`]) {
    writeFileSync(`${processes}/${name}`, '');
    const time = name === 'tool_new.log' ? clock.epochMs() / 1_000 : old;
    utimesSync(`${processes}/${name}`, time, time);
  }

  const { logsRemoved } = await supervisor.sweep();

  expect(logsRemoved).toBe(1);
  expect(readdirSync(processes).sort()).toEqual(
    [`${live.id}.json`, `${live.id}.log`, 'notes.txt', 'tool_new.log'].sort(),
  );
});

test('no log is written before the first byte', async () => {
  using directory = tempDir();
  await using rig = createVirtualHarness({ stateDirectory: directory.file('state') });
  rig.supervisor.start({ command: 'x' });
  rig.run(0).exit();
  await turn();
  rig.clock.advance(100);

  const files = readdirSync(directory.file('state/processes'));
  expect(files.filter((name) => !name.endsWith('.json'))).toEqual([]);
});
