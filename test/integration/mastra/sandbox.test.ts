import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MastraSandbox, ProcessHandle, SandboxProcessManager, Workspace } from '@mastra/core/workspace';
import { createSupervisor } from 'troupe';
import { createMastraSandbox } from 'troupe/mastra';
import { expect, onTestFinished, test } from 'vitest';
import { lives } from '../support/lives.ts';
import { callOf, openModelServer } from '../support/model-server.ts';

const parts = { MastraSandbox, ProcessHandle, SandboxProcessManager };

/** A workspace in a directory of its own, whose policy allows starts; with `keepsLogs` each process has a log file. */
async function arrange({ keepsLogs = false } = {}) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-test-')));
  const supervisor = createSupervisor({ stateDirectory: keepsLogs && join(cwd, '.troupe'), cwd });
  const sandbox = createMastraSandbox({ supervisor, policy: { mode: 'auto' } }, parts);
  const workspace = new Workspace({ sandbox });
  onTestFinished(async () => {
    await workspace.destroy();
    await supervisor.shutdown();
    rmSync(cwd, { recursive: true });
  });
  await workspace.init();
  const { processes } = sandbox;
  if (processes === undefined) throw new Error('the sandbox has no processes');
  const run = async (...args: Parameters<NonNullable<typeof sandbox.executeCommand>>) =>
    sandbox.executeCommand?.(...args);
  return { cwd, supervisor, workspace, sandbox, processes, run };
}

/** Resolves with the first output of a process. */
function first(processes: SandboxProcessManager, command: string, signal?: AbortSignal) {
  return new Promise<{ data: string; spawned: ProcessHandle }>((resolve, reject) => {
    const printed = Promise.withResolvers<string>();
    const onStdout = (data: string) => printed.resolve(data);
    processes
      .spawn(command, { onStdout, ...(signal && { abortSignal: signal }) })
      .then(async (spawned) => resolve({ data: await printed.promise, spawned }))
      .catch(reject);
  });
}

test('an agent runs commands, reads a background process and kills another', async () => {
  await using server = await openModelServer();
  const execute = (input: object) => callOf('mastra_workspace_execute_command', input);
  const lastPid = ({ messages }: { messages: { content: unknown }[] }) =>
    /PID: ([^)]+)\)/.exec(JSON.stringify(messages.at(-1)?.content))?.[1];
  server.reply({ results: 0, users: 1 }, execute({ command: 'echo built; echo warned >&2; exit 3' }));
  server.reply({ results: 1, users: 1 }, execute({ command: 'sleep 0.2; echo tested', background: true }));
  server.reply({ results: 2, users: 1 }, (request) =>
    callOf('mastra_workspace_get_process_output', { pid: lastPid(request), wait: true }),
  );
  server.reply({ results: 3, users: 1 }, execute({ command: 'sleep 60', background: true }));
  server.reply({ results: 4, users: 1 }, (request) =>
    callOf('mastra_workspace_kill_process', { pid: lastPid(request) }),
  );
  server.reply({ results: 5, users: 1 }, ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    return { content: [results[0], results[2], results[4]].join('\n---\n') };
  });

  const { stdout, stderr } = await server.run(join(import.meta.dirname, 'workspace.ts'), 'Build.');

  expect(stderr).toBe('');
  expect(stdout.replace(/tool_\w+/, 'ID').split(/\n+/)).toEqual([
    ...['stdout:', 'built', 'stderr:', 'warned', 'Exit code: 3', '---'],
    ...['tested', 'Exit code: 0', '---'],
    'Process ID has been killed.',
    'echo built; echo warned >&2; exit 3: failed',
    'sleep 0.2; echo tested: completed',
    'sleep 60: killed',
  ]);
});

test('a command has its exit code, both streams and its arguments', async () => {
  const { run } = await arrange();

  const result = await run('sh', ['-c', 'echo "$1"; echo no >&2; exit 3', 'sh', 'a  b'], {});

  expect(result).toMatchObject({ success: false, exitCode: 3, stdout: 'a  b\n', stderr: 'no\n' });
});

test('a command that a signal ends has 128 and its number as exit code', async () => {
  const { run } = await arrange();

  expect(await run('kill -9 $$')).toMatchObject({ exitCode: 137, killed: true, timedOut: false });
});

test('five megabytes of output arrive whole, and characters undivided', async () => {
  const { run } = await arrange({ keepsLogs: true });
  let streamed = '';
  const onStdout = (data: string) => {
    streamed += data;
  };

  const result = await run("seq -f 'ä%.0f' 1 600000", [], { onStdout });

  const whole = Array.from({ length: 600_000 }, (_, index) => `ä${index + 1}\n`).join('');
  expect([result?.stdout === whole, streamed === whole]).toEqual([true, true]);
});

test('a background process reads its input until it is closed', async () => {
  const { processes } = await arrange();
  const spawned = await processes.spawn('cat; echo $NAME >&2', { env: { NAME: 'ada', NONE: undefined } });

  spawned.writer.end('hello\n');

  expect(await text(spawned.reader)).toBe('hello\n');
  expect(await spawned.wait()).toMatchObject({ success: true, exitCode: 0, stderr: 'ada\n' });
  await expect(spawned.sendStdin('more')).rejects.toThrow('is not running');
});

test('a command of the tool has an empty input', async () => {
  const { run, processes } = await arrange();
  const spawned = await processes.spawn('cat', { stdinMode: 'ignore' });

  expect(await run('cat; echo done')).toMatchObject({ stdout: 'done\n' });
  expect(await spawned.wait()).toMatchObject({ exitCode: 0 });
});

test('the pid is the id of the process, which is listed until its end was read', async () => {
  const { processes, supervisor } = await arrange();
  const spawned = await processes.spawn('echo done');
  await spawned.wait();

  expect(supervisor.get(spawned.pid)?.status).toBe('completed');
  expect(await processes.list()).toEqual([
    { pid: spawned.pid, command: 'echo done', running: false, exitCode: 0 },
  ]);
  expect((await processes.get(spawned.pid))?.stdout).toBe('done\n');
  expect([await processes.list(), await processes.kill(spawned.pid)]).toEqual([[], false]);
});

test('a kill, an abort, a stop of the sandbox and its end kill whole trees', async () => {
  const { processes, sandbox, supervisor } = await arrange();
  const aborter = new AbortController();
  const command = 'sleep 60 & echo $!; wait';
  const survivors = () => supervisor.list({ live: true }).length;

  const killed = await first(processes, command);
  expect(await processes.kill(killed.spawned.pid)).toBe(true);
  const aborted = await first(processes, command, aborter.signal);
  aborter.abort();
  expect(await aborted.spawned.wait()).toMatchObject({ killed: true });
  const stopped = await first(processes, command);
  await sandbox._stop();
  expect([survivors(), lives(Number(stopped.data))]).toEqual([0, false]);
  const destroyed = await first(processes, command);
  await sandbox._destroy();

  expect([killed, aborted, stopped, destroyed].map(({ data }) => lives(Number(data)))).toEqual(
    Array(4).fill(false),
  );
  await expect(processes.spawn('ls')).rejects.toThrow('not ready');
});

test('a timeout kills the tree and is told', async () => {
  const { run } = await arrange();

  const result = await run('sleep 60 & echo $!; wait', [], { timeout: 300 });

  expect(result).toMatchObject({ success: false, exitCode: 124, timedOut: true });
  expect(result?.stderr).toMatch(/was killed at its timeout of 300 ms/);
  expect(lives(Number(result?.stdout))).toBe(false);
});

test('a callback that throws rejects the wait, at the end of the process', async () => {
  const { processes } = await arrange();
  const onStdout = () => {
    throw new Error('no room');
  };
  const spawned = await processes.spawn('echo a; sleep 0.2; exit 3', { onStdout });

  await expect(spawned.wait()).rejects.toThrow('no room');
  expect(spawned.exitCode).toBe(3);
});

test('a directory that is missing is an error of the command', async () => {
  const { run } = await arrange();

  const result = await run('pwd', [], { cwd: 'nowhere' });

  expect(result).toMatchObject({ success: false, exitCode: 1, stdout: '' });
  expect(result?.stderr).toMatch(/could not be started: .*nowhere/);
});

test('the environment of the sandbox and of the command reach it', async () => {
  const { run, sandbox } = await arrange();
  sandbox.setEnv(() => ({ A: '1', B: '1' }));

  expect(await run('echo $A$B', [], { env: { B: '2' } })).toMatchObject({ stdout: '12\n' });
});

test('commands begin inside the directory only', async () => {
  const { run, cwd } = await arrange();
  symlinkSync('/etc', join(cwd, 'link'));
  await run('mkdir sub');

  expect(await run('pwd', [], { cwd: 'sub' })).toMatchObject({ stdout: `${join(cwd, 'sub')}\n` });
  for (const outside of ['..', '/etc', 'link'])
    await expect(run('pwd', [], { cwd: outside })).rejects.toThrow('is outside');
});

test('the policy refuses a command', async () => {
  const { run, supervisor } = await arrange();

  await expect(run('rm -rf /')).rejects.toThrow('rule delete-beyond-repair');
  expect(supervisor.list()).toEqual([]);
});

test('an aborted signal starts nothing', async () => {
  const { run, supervisor } = await arrange();

  await expect(run('ls', [], { abortSignal: AbortSignal.abort(new Error('late')) })).rejects.toThrow('late');
  expect(supervisor.list()).toEqual([]);
});

test('a directory that does not exist is refused', async () => {
  const { supervisor } = await arrange();

  expect(() => createMastraSandbox({ supervisor, directory: 'nowhere' }, parts)).toThrow(
    'createMastraSandbox: "directory" is "nowhere"; expected a directory that exists',
  );
});
