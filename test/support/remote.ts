import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SupervisorOptions } from '../../src/index.ts';
import type { WorkerOptions } from '../../src/remote/index.ts';
import { carriers, fixtureProgram } from './os.ts';
import { openRealHarness, type RealHarness } from './real.ts';

/** Creates a supervisor of other hosts, by default of the pool `default`. Its disposal fails if anything that may not outlive it survives there. */
export function openAsker(
  servers: string | readonly string[],
  { remote, ...options }: Omit<SupervisorOptions, 'remote'> & { remote?: object } = {},
): RealHarness {
  const stage = openRealHarness({
    maxBackgroundProcesses: 10_000,
    ...options,
    remote: { servers, pool: 'default', ...remote },
  });
  return {
    ...stage,
    [Symbol.asyncDispose]: async () => {
      const ids = stage.supervisor
        .list()
        .flatMap(({ id, lifetime }) => (lifetime === 'persistent' ? [] : [id]));
      await stage[Symbol.asyncDispose]();
      const survivors = ids.flatMap((id) => carriers(`/${id}/`));
      if (survivors.length > 0) throw new Error(`survived on its worker: ${survivors.join(', ')}`);
    },
  };
}

/** A worker in a program of its own, which can be killed like any other. */
export interface WorkerProgram extends AsyncDisposable {
  readonly id: string;
  readonly pid: number;
  /** Text of its stderr so far. */
  readonly complaints: () => string;
  /** Sends SIGKILL; resolves when it is dead. */
  kill(): Promise<void>;
  /** Lets it close and end by itself. */
  leave(): Promise<void>;
}

/** Starts a worker; `env` is its whole environment beside the mark of the run. Disposal kills it. */
export async function startWorkerProgram(
  options: Omit<WorkerOptions, 'onError'>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<WorkerProgram> {
  const { TROUPE_TEST_RUN, TMPDIR } = process.env;
  const child = spawn(process.execPath, [fixtureProgram('remote-worker.ts'), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...env, TROUPE_TEST_RUN, TMPDIR },
  });
  const ended = once(child, 'exit');
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  child.stdin.on('error', () => {});
  const lines = createInterface(child.stdout);
  const up = once(lines, 'line') as Promise<[string]>;
  await Promise.race([up, ended]);
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`the worker has ended: ${complaints}`);
  const [line] = await up;
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return {
    id: line.replace(/^up /, ''),
    pid: child.pid ?? 0,
    complaints: () => complaints,
    kill,
    leave: async () => {
      child.stdin.end();
      await ended;
    },
    [Symbol.asyncDispose]: kill,
  };
}
