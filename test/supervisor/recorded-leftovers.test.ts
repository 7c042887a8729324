import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createCurrentTable } from '../../src/spawn/tree/current-table.ts';
import { identify } from '../../src/spawn/tree/identity.ts';
import { endedRecord, writeRecord } from '../state-directory/records.ts';
import { carriers, endAll, isAlive, tempDir } from '../support/os.ts';

function openPlace() {
  const place = tempDir();
  onTestFinished(() => place.remove());
  const create = () => createSupervisor({ cwd: place.path, stateDirectory: place.path, control: false });
  return { path: place.path, create };
}

test('leftovers of a persistent process outlive a shutdown', async () => {
  const { create } = openPlace();
  const first = create();
  const handle = first.start({ command: 'sleep 1000 &', lifetime: 'persistent', background: true });
  onTestFinished(() => endAll([], `/${handle.id}/`));
  const { leftovers } = await handle.ended;
  const [left] = leftovers;

  const report = await first.shutdown();

  expect(report.survivors).toEqual([]);
  expect(isAlive(left?.pid ?? 0)).toBe(true);
  await using second = create();
  expect(second.get(handle.id)?.view()).toMatchObject({ leftovers: [{ pid: left?.pid }] });
  await second.kill(handle.id);
  expect(carriers(`/${handle.id}/`)).toEqual([]);
});

test.each([
  ['boot', { bootId: 'another boot' }],
  ['pid namespace', { pidNamespace: 'pid:[1]' }],
])('leftovers of another %s are not taken for ours', async (_, elsewhere) => {
  const { path, create } = openPlace();
  const stranger = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  const pid = stranger.pid ?? 0;
  onTestFinished(() => endAll([pid]));
  const identity = await identify(createCurrentTable(), { pid, id: 'tool_left2222' });
  if (identity === null) throw new Error('There is no stranger.');
  const { pgid, startedAt } = identity;
  const leftovers = [{ pid, pgid, startedAt, command: 'sleep 1000' }];
  const leader = { ...identity, ...elsewhere };
  writeRecord(
    path,
    { ...endedRecord('tool_left2222', { leftovers, lifetime: 'persistent', endedAt: Date.now() }), leader },
    'tool_left2222',
  );

  await using supervisor = create();
  const seen = supervisor.get('tool_left2222')?.view();
  await supervisor.kill('tool_left2222');

  expect(seen).toMatchObject({ status: 'completed', leftovers: [] });
  expect(isAlive(pid)).toBe(true);
});

test('an undelivered end of an earlier program starts nothing', async () => {
  const { path, create } = openPlace();
  const ended = endedRecord('tool_ended222', { lifetime: 'persistent', endedAt: Date.now() });
  writeRecord(path, ended, 'tool_ended222');
  const children = () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  const before = children();

  await using supervisor = create();

  expect(supervisor.get('tool_ended222')?.view().status).toBe('completed');
  expect(children()).toBe(before);
});
