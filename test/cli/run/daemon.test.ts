import { expect, test } from 'vitest';
import { isAlive, waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';
import { STARTED_WITHIN_MS, startProgram } from '../program.ts';

test('a command within its timeout behaves as without one', async () => {
  await using project = daemonProject();
  const { ran } = startProgram(['run', '--timeout', '60s', '-c', 'cat; echo err >&2; exit 6'], {
    cwd: project.path,
    env: project.env,
    input: 'in\n',
  });

  expect(await ran).toEqual({ code: 6, stdout: 'in\n', stderr: 'err\n' });
});

test('run --json has the same shape with and without daemon', async () => {
  await using project = daemonProject();
  await project.startDaemon();

  const ran = await project.call('run', '--json', '--timeout', '60s', '-c', 'echo out; echo err >&2; exit 3');

  expect(ran).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    ok: false,
    error: 'err\n',
    stdout: 'out\n',
    stderr: 'err\n',
    exitCode: 3,
    signal: null,
    truncated: false,
    leftovers: [],
    process: { code: 3, status: 'failed' },
  });
});

test('a command past its timeout continues in the background', async () => {
  await using project = daemonProject();

  const ran = await project.troupe('run', '--timeout', '3s', '-c', 'echo first; exec sleep 1000');

  expect(ran).toMatchObject({ code: 0, stdout: 'first\n' });
  expect(ran.stderr).toMatch(/still running after 3s; it continues in the background as tool_\w{8}\n/);
  const [late] = await project.processes();
  expect(ran.stderr).toContain(`logs -f ${late?.id}`);
  expect(isAlive(late?.pid ?? 0)).toBe(true);
});

test('run --background prints only the id', async () => {
  await using project = daemonProject();
  await project.startDaemon();

  const ran = await project.call('run', '--background', '--', 'sleep', '1000');

  const [started] = await project.processes();
  expect(ran).toEqual({ code: 0, stdout: `${started?.id}\n`, stderr: '' });
});

test('Ctrl-C reaches a command in the daemon', async () => {
  await using project = daemonProject();
  const script = 'trap "echo bye; exit 5" INT; echo up; while :; do sleep 1; done';
  const { child, ran } = startProgram(['run', '--timeout', '60s', '-c', script], {
    cwd: project.path,
    env: project.env,
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await waitUntil(() => printed.includes('up'), { withinMs: STARTED_WITHIN_MS });

  child.kill('SIGINT');

  expect(await ran).toEqual({ code: 5, stdout: 'up\nbye\n', stderr: '' });
});

test.each([
  ['no such program', ['nosuchprogram'], 127],
  ['the longest time', ['--max-time', '200ms', 'sleep', '1000'], 124],
])('run of %s reports its exit code from the daemon', async (_name, args, code) => {
  await using project = daemonProject();
  await project.startDaemon();

  const ran = await project.call('run', '--timeout', '60s', ...args);

  expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/^troupe: .+/) });
});
