import { expect, test } from 'vitest';
import { isAlive, waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';
import { STARTED_WITHIN_MS, startProgram } from '../program.ts';

const sleeper = ['--', 'sleep', '1000'];

test('a second start of a name is refused with the id of the first', async () => {
  await using project = daemonProject();
  const first = await project.start('--name', 'web', ...sleeper);

  const second = await project.troupe('start', '--name', 'web', ...sleeper);
  const other = await project.call('start', '--name', 'other', ...sleeper);

  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`The name "web" is taken by ${first}`);
  expect(second.stderr).toContain('--replace');
  expect(other.code).toBe(0);
  expect((await project.processes()).map(({ label }) => label)).toEqual(['web', 'other']);
});

test('a name is free again after the end', async () => {
  await using project = daemonProject();
  await project.call('run', '--name', 'once', '--', 'true');

  expect(await project.troupe('run', '--name', 'once', '--', 'true')).toMatchObject({ code: 0, stderr: '' });
});

test('start --replace ends the first and starts the second', async () => {
  await using project = daemonProject();
  await project.start('--name', 'web', ...sleeper);
  const [first] = await project.processes();

  const second = await project.troupe('start', '--name', 'web', '--replace', ...sleeper);

  expect(second.code).toBe(0);
  expect(isAlive(first?.pid ?? 0)).toBe(false);
  expect(await project.processes()).toMatchObject([{ id: second.stdout.trim(), label: 'web' }]);
});

test('--replace without a name is refused', async () => {
  await using project = daemonProject();

  const [start, run] = await Promise.all([
    project.call('start', '--replace', ...sleeper),
    project.call('run', '--replace', ...sleeper),
  ]);

  for (const ran of [start, run]) {
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--replace needs --name'),
    });
  }
});

test('exactly one of several starts at once under one name succeeds', async () => {
  await using project = daemonProject();
  // A daemon that runs already lets the starts come closer together.
  await project.start('--name', 'warm', ...sleeper);

  const starts = await Promise.all(
    Array.from({ length: 5 }, () => project.troupe('start', '--name', 'web', ...sleeper)),
  );

  expect(starts.map(({ code }) => code).toSorted()).toEqual([0, 1, 1, 1, 1]);
  const winner = starts.find(({ code }) => code === 0)?.stdout.trim() ?? '';
  for (const { code, stderr } of starts) if (code !== 0) expect(stderr).toContain(winner);
  expect((await project.processes()).filter(({ label }) => label === 'web')).toMatchObject([{ id: winner }]);
});

test('replacing starts at once leave exactly one process', async () => {
  await using project = daemonProject();
  await project.start('--name', 'web', ...sleeper);

  const starts = await Promise.all(
    Array.from({ length: 3 }, () => project.troupe('start', '--name', 'web', '--replace', ...sleeper)),
  );

  expect(starts.map(({ code }) => code)).toEqual([0, 0, 0]);
  const [left, ...others] = await project.processes();
  expect(others).toEqual([]);
  expect(starts.map(({ stdout }) => stdout.trim())).toContain(left?.id);
});

test('a name is shared between the foreground and the background', async () => {
  await using project = daemonProject();
  const { ran } = startProgram(['run', '--name', 'web', ...sleeper], { cwd: project.path, env: project.env });
  await waitUntil(async () => (await project.processes()).length === 1, {
    withinMs: STARTED_WITHIN_MS,
    what: 'the foreground process is listed',
  });

  const refused = await project.call('start', '--name', 'web', ...sleeper);
  const replaced = await project.troupe('start', '--name', 'web', '--replace', ...sleeper);

  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The name "web" is taken by') });
  expect(replaced.code).toBe(0);
  expect((await ran).code).toBe(143);
  expect(await project.processes()).toMatchObject([{ id: replaced.stdout.trim() }]);
});
