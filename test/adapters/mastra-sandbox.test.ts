import { mkdirSync, realpathSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createMastraSandbox, type MastraRetention } from '../../src/adapters/mastra-sandbox.ts';
import type { Script } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

/** A handle of a process, as far as the adapter uses it. */
interface Spawned {
  readonly pid: string;
  readonly command?: string;
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  wait(): Promise<object>;
  kill(): Promise<boolean>;
  sendStdin(data: string): Promise<void>;
  closeStdin(): Promise<void>;
}

interface Processes {
  spawn(command: string, options?: object): Promise<Spawned>;
  list(): Promise<readonly object[]>;
  get(pid: string): Promise<Spawned | undefined>;
  release(pid: string): void;
}

abstract class FakeSandbox {
  readonly options: {
    readonly name: string;
    readonly workingDirectory: string;
    readonly processes: Processes;
  };
  declare readonly id: string;
  declare readonly provider: string;
  declare readonly status: string;
  constructor(options: {
    readonly name: string;
    readonly workingDirectory: string;
    readonly processes: never;
  }) {
    this.options = options;
  }
  abstract start(): Promise<unknown>;
  abstract stop(): Promise<void>;
  abstract destroy(): Promise<void>;
  getInstructions(): string {
    return '';
  }
}

abstract class FakeProcesses {
  static readonly released: string[] = [];
  release(pid: string): void {
    FakeProcesses.released.push(pid);
  }
}

abstract class FakeProcess {
  stdout = '';
  stderr = '';
  readonly #retention: MastraRetention;
  constructor(retention: MastraRetention = {}) {
    this.#retention = retention;
  }
  emitStdout(data: string): void {
    this.stdout += data;
    this.#retention.onStdout?.(data);
  }
  emitStderr(data: string): void {
    this.stderr += data;
    this.#retention.onStderr?.(data);
  }
}

const parts = {
  MastraSandbox: FakeSandbox,
  SandboxProcessManager: FakeProcesses,
  ProcessHandle: FakeProcess,
};

/** A sandbox in a directory of its own, whose processes are played. */
function arrange({ script }: { readonly script?: Script } = {}) {
  const place = tempDir();
  const cwd = realpathSync(place.path);
  const rig = createVirtualHarness({ cwd, ...(script && { script }) });
  onTestFinished(async () => {
    await rig[Symbol.asyncDispose]();
    place.remove();
  });
  const options = { supervisor: rig.supervisor, owner: 'chat', policy: { mode: 'dangerous' } } as const;
  const sandbox = createMastraSandbox(options, parts);
  const { processes } = sandbox.options;
  const spawn = (command: string, more?: object) => processes.spawn(command, more);
  return { ...rig, cwd, sandbox, processes, spawn };
}

test('the sandbox is named by its owner, and describes its directory', async () => {
  const { sandbox, cwd } = arrange();

  expect(sandbox).toMatchObject({ id: 'troupe-chat', name: 'Troupe', provider: 'troupe', status: 'pending' });
  expect(sandbox.options).toMatchObject({ name: 'Troupe', workingDirectory: cwd });
  expect(sandbox.getInstructions()).toBe(`Commands run in ${cwd}.`);
  expect(await sandbox.start()).toBeUndefined();
});

test('a result has code, both streams and time', async () => {
  const { spawn, run, pass } = arrange();
  const spawned = await spawn('make');
  await pass(1_200);
  run(0).print('out\n');
  run(0).print('warned\n', 'stderr');
  run(0).exit({ code: 3 });

  expect(await spawned.wait()).toEqual({
    ...{ success: false, exitCode: 3, stdout: 'out\n', stderr: 'warned\n' },
    ...{ executionTimeMs: 1_200, killed: false, timedOut: false },
  });
  expect(spawned.exitCode).toBe(3);
});

test('a command that succeeds says so', async () => {
  const { spawn, run } = arrange();
  const spawned = await spawn('make');
  await turn();
  run(0).exit();

  expect(await spawned.wait()).toMatchObject({ success: true, exitCode: 0, stderr: '' });
});

test('a spawn passes on directory, environment, input and callbacks', async () => {
  const { spawn, run, cwd, supervisor } = arrange();
  mkdirSync(`${cwd}/sub`);
  const heard: string[] = [];
  const spawned = await spawn('make', {
    ...{ cwd: 'sub', env: { A: '1' } },
    onStdout: (data: string) => void heard.push(`out ${data}`),
    onStderr: (data: string) => void heard.push(`err ${data}`),
  });
  await turn();
  run(0).print('a');
  run(0).print('b', 'stderr');
  run(0).exit();
  await spawned.wait();

  expect(supervisor.list()[0]?.cwd).toBe(`${cwd}/sub`);
  expect(run(0).request).toMatchObject({ env: { A: '1' }, stdin: 'pipe' });
  expect(heard).toEqual(['out a', 'err b']);
});

test('characters arrive undivided, and a rest at the end', async () => {
  const { spawn, run } = arrange();
  const heard: string[] = [];
  const spawned = await spawn('make', { onStdout: (data: string) => void heard.push(data) });
  await turn();
  const print = (...bytes: number[]) => {
    run(0).print(Buffer.from(bytes) as never);
    return turn();
  };
  await print(0xc3);
  await print(0xbc, 0xc3);
  run(0).exit();
  await spawned.wait();

  expect(heard.join('|')).toBe('ü|\ufffd');
});

test('an ignored input is empty', async () => {
  const { spawn, run } = arrange();
  const spawned = await spawn('cat', { stdinMode: 'ignore' });
  await turn();

  expect(run(0).request.stdin).toBe('end');
  await expect(spawned.sendStdin('x')).rejects.toThrow('Its input was not asked for.');
});

test('input is written until the process has ended', async () => {
  const { spawn, run } = arrange();
  const spawned = await spawn('cat');
  await turn();

  await spawned.sendStdin('hello');
  await spawned.closeStdin();
  run(0).exit();
  await spawned.wait();

  expect(run(0).input).toBe('hello');
  await expect(spawned.sendStdin('more')).rejects.toThrow('is not running');
  await expect(spawned.closeStdin()).rejects.toThrow('is not running');
});

test('a timeout is an exit code of its own, and told', async () => {
  const { spawn, pass } = arrange();
  const spawned = await spawn('serve', { timeout: 300 });

  await pass(1_000);

  expect(await spawned.wait()).toMatchObject({
    ...{ success: false, exitCode: 124, killed: true, timedOut: true },
    stderr: `\nProcess ${spawned.pid} was killed at its timeout of 300 ms.`,
  });
});

test('a command that could not be started has the code 1, and the reason', async () => {
  const { spawn } = arrange({
    script: (run) =>
      run.tell({ type: 'process.spawnFailed', cause: 'other', code: 'ENOENT', message: 'no such shell' }),
  });
  const spawned = await spawn('make');

  expect(await spawned.wait()).toMatchObject({
    ...{ success: false, exitCode: 1, killed: false, timedOut: false },
    stderr: `\nProcess ${spawned.pid} could not be started: no such shell.`,
  });
});

test('a kill is told by the exit code, and only once true', async () => {
  const { spawn } = arrange();
  const spawned = await spawn('serve');
  await turn();

  expect(await spawned.kill()).toBe(true);
  expect(await spawned.kill()).toBe(false);
  expect(await spawned.wait()).toMatchObject({ exitCode: 143, killed: true, timedOut: false, stderr: '' });
});

test('a process that survives a kill is an error', async () => {
  const { spawn, run, clock } = arrange();
  const spawned = await spawn('serve');
  await turn();
  run(0).obeys = () => false;
  const killing = expect(spawned.kill()).rejects.toThrow(spawned.pid);
  for (let step = 0; step < 20; step += 1) {
    clock.advance(5_000);
    await turn();
  }

  await killing;
  run(0).obeys = () => true;
});

test('an abort kills the process', async () => {
  const { spawn } = arrange();
  const aborter = new AbortController();
  const spawned = await spawn('serve', { abortSignal: aborter.signal });
  await turn();

  aborter.abort();

  expect(await spawned.wait()).toMatchObject({ exitCode: 143, killed: true });
});

test('a callback that throws rejects the wait, at the end of the process', async () => {
  const { spawn, run } = arrange();
  const onStdout = () => {
    throw new Error('no room');
  };
  const spawned = await spawn('make', { onStdout });
  await turn();
  run(0).print('a');
  await turn(2);
  const before = spawned.exitCode;
  run(0).exit({ code: 3 });

  await expect(spawned.wait()).rejects.toThrow('no room');
  expect([before, spawned.exitCode]).toEqual([undefined, 3]);
});

test('a process is listed until its end was read', async () => {
  const { spawn, run, processes, supervisor } = arrange();
  const spawned = await spawn('make');
  await turn();
  const listed = await processes.list();
  const found = await processes.get(spawned.pid);
  run(0).exit();
  await spawned.wait();
  const ended = await processes.list();

  expect(supervisor.get(spawned.pid)).toBeDefined();
  expect(listed).toMatchObject([{ pid: spawned.pid, running: true, exitCode: undefined }]);
  expect(found).toBe(spawned);
  expect(ended).toMatchObject([{ pid: spawned.pid, running: false, exitCode: 0 }]);
  expect(await processes.get(spawned.pid)).toBe(spawned);
  expect([await processes.list(), await processes.get(spawned.pid)]).toEqual([[], undefined]);
});

test('a released process is forgotten here and by the manager', async () => {
  const { spawn, processes } = arrange();
  const spawned = await spawn('make');

  processes.release(spawned.pid);

  expect(await processes.list()).toEqual([]);
  expect(FakeProcesses.released.at(-1)).toBe(spawned.pid);
});

test('a stop kills what runs, and destruction refuses further commands, too', async () => {
  const { spawn, sandbox } = arrange();
  const first = await spawn('serve');
  await turn();
  await sandbox.stop();
  const second = await spawn('serve');
  await turn();

  await sandbox.destroy();

  expect(await first.wait()).toMatchObject({ killed: true });
  expect(await second.wait()).toMatchObject({ killed: true });
  await expect(spawn('ls')).rejects.toThrow('The sandbox is closed');
});

test('errors about options name the function', () => {
  const { supervisor } = arrange();

  expect(() => createMastraSandbox({ supervisor, directory: 'nowhere' }, parts)).toThrow(
    'createMastraSandbox: "directory" is "nowhere"; expected a directory that exists',
  );
});
