import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSupervisor, createToolHost, type FinalView, type ProcessHandle } from '../../src/index.ts';
import { isInstalled } from '../support/installed.ts';
import {
  carriers,
  commandOf,
  endAll,
  isAlive,
  listPids,
  parentOf,
  tempDir,
  waitUntil,
} from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

const openWithStarter = () => openRealHarness({ starter: true });

/** Finds the starter of this program. */
function findStarter(host: number = process.pid): number {
  const pid = listPids().find(
    (each) => isAlive(each) && parentOf(each) === host && commandOf(each).at(-1) === `${host}`,
  );
  if (pid === undefined) throw new Error('no starter runs');
  return pid;
}

async function waitForPid(handle: ProcessHandle): Promise<number> {
  const view = await waitUntil(() => {
    const now = handle.view();
    return 'pid' in now ? now : null;
  });
  return view.pid ?? 0;
}

/** Checks that a process whose starter was killed has ended, and that its view says why its exit is unknown. */
function expectLost(pid: number, view: FinalView): void {
  expect(isAlive(pid)).toBe(false);
  expect(view.status).toBe('lost');
  expect(JSON.stringify(view.reason)).toContain(
    'the starter process that would have reported it ended first',
  );
}

test('a command is a child of the starter', async () => {
  await using harness = openWithStarter();

  const handle = harness.supervisor.start({ command: ['sleep', '300'] });
  const pid = await waitForPid(handle);

  expect(parentOf(pid)).toBe(findStarter());
});

test('a command gets input and gives both outputs', async () => {
  await using harness = openWithStarter();

  const handle = harness.supervisor.start({ command: 'cat; echo problem >&2; exit 4', stdin: 'pipe' });
  await handle.write('some text\n');
  await handle.endInput();
  const result = await handle.result();

  expect(result).toMatchObject({ exitCode: 4, stdout: 'some text\n', stderr: 'problem\n' });
});

test('a start that fails says why', async () => {
  await using harness = openWithStarter();

  const { status, reason } = await harness.supervisor.start({ command: ['no-such-program'] }).ended;

  expect({ status, reason }).toMatchObject({ status: 'failed', reason: { cause: 'missing-program' } });
});

test('twenty commands at once end with their own codes', async () => {
  await using harness = openRealHarness({ starter: true, maxParallelTools: 64 });

  const codes = Array.from({ length: 20 }, (_, code) => code);
  const results = await Promise.all(
    codes.map((code) => harness.supervisor.execute({ command: `echo ${code}; exit ${code}` })),
  );

  expect(results.map((result) => ('exitCode' in result ? result.exitCode : result.type))).toEqual(codes);
  expect(results.map((result) => ('stdout' in result ? result.stdout.trim() : ''))).toEqual(
    codes.map(String),
  );
});

test('a kill at once reaches a command that is being started', async () => {
  await using harness = openWithStarter();
  const handle = harness.supervisor.start({ command: ['sleep', '300'] });

  await handle.kill();

  expect((await handle.ended).status).toBe('killed');
  expect(harness.alive(handle.id)).toEqual([]);
});

test('a daemon of a command that ended at once is a leftover', async () => {
  await using harness = openWithStarter();
  const handle = harness.supervisor.start({ command: 'setsid sleep 300 & exit 0' });

  const { leftovers } = await handle.ended;

  expect(leftovers.map(({ command }) => command)).toEqual(['sleep 300']);
});

test('a command outlives a killed starter and ends as lost', async () => {
  await using harness = openWithStarter();
  const handle = harness.supervisor.start({ command: 'read line; echo "got $line"', stdin: 'pipe' });
  const pid = await waitForPid(handle);

  process.kill(findStarter(), 'SIGKILL');
  await handle.write('text\n');
  const view = await handle.ended;

  expectLost(pid, view);
});

test('a persistent command keeps its output and exit code after its starter was killed', async () => {
  await using harness = openWithStarter();
  const handle = harness.supervisor.start({
    command: 'echo before; read line; echo "got $line"; exit 4',
    stdin: 'pipe',
    lifetime: 'persistent',
  });
  const pid = await waitForPid(handle);
  const launcher = parentOf(pid) ?? 0;
  expect(parentOf(launcher)).toBe(findStarter());

  process.kill(findStarter(), 'SIGKILL');
  await handle.write('text\n');
  const view = await handle.ended;

  expect(view).toMatchObject({ status: 'failed', exit: { code: 4, signal: null } });
  expect(handle.read().text).toBe('before\ngot text\n');
});

test('a persistent command outlives the shutdown of the supervisor that started it by a starter', async () => {
  const directory = tempDir();
  onTestFinished(directory.remove);
  const open = () =>
    createSupervisor({ cwd: directory.path, stateDirectory: directory.file('state'), starter: true });
  const first = open();
  const { id } = first.start({ command: 'sleep 0.5; exit 3', lifetime: 'persistent', background: true });
  await waitUntil(() => first.list()[0]?.status === 'backgrounded');
  await first.shutdown();

  await using second = open();
  const view = await second.get(id)?.ended;

  expect(second.recovered.adopted).toEqual([id]);
  expect(view).toMatchObject({ status: 'failed', exit: { code: 3, signal: null } });
});

test.skipIf(!isInstalled('setsid'))('a command in a pty leads its own session and terminal', async () => {
  await using harness = openRealHarness({ starter: true, terminal: 'pty' });
  const before = harness.supervisor.start({ command: ['sleep', '300'], interactive: true });
  await waitForPid(before);

  const handle = harness.supervisor.start({
    command: 'ps -o pid=,ppid=,sid=,tty= -p $$; tty; ls -l /proc/self/fd | grep -c ptmx; exit 3',
    interactive: true,
  });
  const view = await handle.ended;

  const [first = '', tty, masters] = handle.read().text.split('\n');
  const [pid, ppid, sid, shortTty] = first.trim().split(/ +/);
  expect(view).toMatchObject({ status: 'failed', exit: { code: 3, signal: null } });
  expect([Number(ppid), sid, `/dev/${shortTty}`]).toEqual([findStarter(), pid, tty]);
  // The terminal of the other command is out of reach.
  expect(masters).toBe('0');
});

test('a command in a pty is lost after a killed starter, with its output', async () => {
  await using harness = openRealHarness({ starter: true, terminal: 'pty' });
  const handle = harness.supervisor.start({
    command: 'echo before; read line; echo "got $line"',
    interactive: true,
  });
  const pid = await waitForPid(handle);

  await waitUntil(() => handle.read().text.includes('before'));
  process.kill(findStarter(), 'SIGKILL');
  await handle.write('text\n');
  const view = await handle.ended;

  expectLost(pid, view);
  expect(handle.read().text.split('\n')).toEqual(['before', 'text', 'got text', '']);
});

test('a start after a killed starter works', async () => {
  await using harness = openWithStarter();
  await harness.supervisor.execute({ command: ['true'] });
  process.kill(findStarter(), 'SIGKILL');

  const result = await harness.supervisor.execute({ command: ['echo', 'again'] });

  expect(result).toMatchObject({ exitCode: 0, stdout: 'again\n' });
});

test('a shutdown ends the starter', async () => {
  let starter = 0;
  {
    await using harness = openWithStarter();
    await harness.supervisor.execute({ command: ['true'] });
    starter = findStarter();
  }

  expect(isAlive(starter)).toBe(false);
});

test('a killed host takes its starter and its commands with it', async () => {
  const program = `
    import { createSupervisor } from ${JSON.stringify(join(import.meta.dirname, '../../src/index.ts'))};
    const supervisor = createSupervisor({ stateDirectory: false, starter: true });
    supervisor.start({ command: 'setsid sleep 300 & sleep 300' });
    supervisor.events$.subscribe(({ type }) => type === 'process.started' && console.log(supervisor.id));
  `;
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [id] = await once(host.stdout, 'data').then(([bytes]) => String(bytes).trim().split('\n'));
  await waitUntil(() => carriers(`/${id}/`).length >= 2);
  const starter = findStarter(host.pid);

  host.kill('SIGKILL');

  await waitUntil(() => carriers(`/${id}/`).length === 0 && !isAlive(starter));
  await endAll([], `/${id}/`);
});

test('a tool call interrupted during the start leaves its command in the background', async () => {
  await using harness = openWithStarter();
  const { supervisor } = harness;
  const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'dangerous' } });
  const abort = new AbortController();

  const call = host.call({ name: 'run_command', input: { command: 'sleep 300' } }, { signal: abort.signal });
  const [started] = await waitUntil(() => {
    const live = supervisor.list({ live: true });
    return live.length > 0 ? live : null;
  });
  abort.abort();
  await call.catch(() => {});

  expect(started?.status).toBe('pending');
  await waitUntil(() => supervisor.list()[0]?.status === 'backgrounded');
});
