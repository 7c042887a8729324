import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive, waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';

test('start prints only the id and the command continues', async () => {
  await using project = daemonProject();

  const ran = await project.troupe('start', '--name', 'web', '--', 'sleep', '1000');

  expect(ran).toEqual({ code: 0, stdout: expect.stringMatching(/^service_\w{8}\n$/), stderr: '' });
  const [web] = await project.processes();
  expect(web).toMatchObject({
    id: ran.stdout.trim(),
    label: 'web',
    lifetime: 'persistent',
    status: 'backgrounded',
  });
  expect(isAlive(web?.pid ?? 0)).toBe(true);
});

test('start with an id starts a command once', async () => {
  await using project = daemonProject();
  const start = (...words: string[]) =>
    project.troupe('start', '--id', 'backup-1', '--name', 'backup', '--', 'sh', '-c', ...words);

  const first = await start('echo ran >> runs; exit 3');
  const waited = await project.call('wait', 'backup-1');
  const again = await start('echo ran >> runs; exit 3');
  const other = await start('echo other');

  expect(first).toEqual({ code: 0, stdout: 'backup-1\n', stderr: '' });
  expect(waited.code).not.toBe(0);
  expect(again).toMatchObject({ code: 0, stdout: 'backup-1\n' });
  expect(again.stderr).toContain(
    'backup-1 was started before, and is not started again: it exited with code 3',
  );
  expect(other.code).not.toBe(0);
  expect(other.stderr).toContain('The id "backup-1" is taken'.slice(4));
  expect(readFileSync(join(project.path, 'runs'), 'utf8')).toBe('ran\n');
});

test('start uses the environment and directory of the caller', async () => {
  await using project = daemonProject();
  await project.start('-c', 'true');

  const { stdout } = await project.troupe(
    'start',
    '-e',
    'OWN=1',
    '--ready',
    'line:done',
    '-c',
    'echo $OWN $TROUPE_TEST_MARK; pwd; echo done; exec sleep 1000',
  );

  const logs = await project.call('logs', stdout.trim());
  expect(logs.stdout).toBe(`1 ${project.env.TROUPE_TEST_MARK}\n${project.path}\ndone\n`);
});

test.each([
  ['an unknown program', ['nosuchprogram'], 127, 'The program "nosuchprogram" was not found on the PATH'],
  ['a file that is no program', ['/etc/passwd'], 126, 'may not be run'],
])('start reports %s at once', async (_name, args, code, words) => {
  await using project = daemonProject();

  const ran = await project.troupe('start', ...args);

  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(words);
});

test.each([
  ['a size without a terminal', ['--size', '80x24', 'vi'], '--size needs --interactive'],
  ['a size that is none', ['--interactive', '--size', '80', 'vi'], '--size is "80"'],
  ['an id that is none', ['--id', 'a b', 'vi'], '--id is "a b"; expected 1 to 64 letters'],
  ['an id beside --replace', ['--id', 'a', '--name', 'a', '--replace', 'vi'], 'Use one of them'],
  ['a readiness that is none', ['--ready', 'soon', 'true'], '--ready is "soon"'],
])('start refuses %s', async (_name, args, words) => {
  await using project = daemonProject();

  const ran = await project.call('start', ...args);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(words);
});

test('start waits for readiness', async () => {
  await using project = daemonProject();
  await project.startDaemon();

  const ran = await project.call(
    'start',
    '--ready',
    'file:there',
    '-c',
    'sleep 0.5; touch there; exec sleep 1000',
  );

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const [started] = await project.processes();
  expect(started).toMatchObject({ ready: { state: 'ready' } });
});

test.each([
  ['that is late', ['--ready-within', '200ms', '-c', 'exec sleep 1000'], 'not ready within 200 ms', 1],
  ['of one that ends', ['-c', 'exit 4'], 'it exited with code 4', 0],
])('start reports a readiness %s and still prints the id', async (_name, args, words, live) => {
  await using project = daemonProject();
  await project.startDaemon();

  const ran = await project.call('start', '--ready', 'line:never', ...args);

  expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/^service_\w{8}\n$/) });
  expect(ran.stderr).toContain(words);
  expect(await project.processes()).toHaveLength(live);
});

test('start accepts restart policies of container tools', async () => {
  await using project = daemonProject();
  const id = await project.start('--restart', 'always', '--', 'sleep', '0.2');

  const show = async () => JSON.parse((await project.call('show', '--json', id)).stdout);

  // A slow machine may see a later attempt first.
  await waitUntil(async () => (await show()).view.attempt > 1, { withinMs: 30_000 });
});

test('start --json prints the view of the process', async () => {
  await using project = daemonProject();
  await project.startDaemon();

  const ran = await project.call('start', '--session', '--json', '--max-time', '1h', '--', 'sleep', '1000');

  expect(JSON.parse(ran.stdout)).toMatchObject({
    kind: 'service',
    status: 'backgrounded',
    lifetime: 'session',
  });
});

test('a killed daemon leaves the command running and is replaced', async () => {
  await using project = daemonProject();
  const first = await project.start('--', 'sleep', '1000');
  const { checks } = JSON.parse((await project.call('doctor', '--json')).stdout);
  const says: string = checks.find(({ name }: { name: string }) => name === 'daemon').says;
  const [, daemon = '0'] = /^pid (\d+)/.exec(says) ?? [];
  process.kill(Number(daemon), 'SIGKILL');
  await waitUntil(() => !isAlive(Number(daemon)));

  await project.troupe('start', '--', 'sleep', '1001');

  const ids = (await project.processes()).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(ids).toContain(first);
  const killed = await project.call('kill', '-f', first);
  expect(killed.code).toBe(0);
});

test('start --stdin leaves an input that write writes to', async () => {
  await using project = daemonProject();
  await project.start('--stdin', '--name', 'echo', '-c', 'while read -r line; do echo "got $line"; done');

  const written = await project.call('write', 'echo', 'hello', '--eof');
  const waited = await project.call('wait', 'echo');
  const { stdout } = await project.call('logs', 'echo');

  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(waited.code).toBe(0);
  expect(stdout).toBe('got hello\n');
});

test.each([
  ['sometimes', 'expected never, on-failure or always.'],
  ['alway', 'Did you mean always?'],
])('start refuses the restart word %s', async (word, problem) => {
  await using project = daemonProject();

  const ran = await project.call('start', '--restart', word, '--', 'true');

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) });
});

test('extend --max-time limits a process in the background', async () => {
  await using project = daemonProject();
  await project.start('--name', 'web', '--', 'sleep', '1000');

  const extended = await project.call('extend', 'web', '--max-time', '1s');
  const waited = await project.call('wait', 'web');

  expect(extended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\(web\): --max-time is 1s\.\n$/),
  });
  expect(waited.code).toBe(124);
});

test('the first start keeps the state directory out of version control', async () => {
  await using project = daemonProject();

  await project.start('--', 'true');

  expect(readFileSync(project.file('.troupe/.gitignore'), 'utf8')).toBe('*\n');
});
