import {
  type ChildProcess,
  type SpawnOptions,
  type SpawnSyncOptions,
  type SpawnSyncReturns,
  type StdioOptions,
  spawn,
  spawnSync,
} from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Options } from 'execa';

/**
 * Masters of this program's open terminals. A child that inherits one can read what another owner's terminal prints and type into
 * it, and neither Node nor node-pty can set FD_CLOEXEC on it. Kept per program, because descriptors belong to the program and not
 * to a supervisor.
 */
const masters = new Set<{ readonly fd: number }>();
let nullFd: number | null = null;

/** Hides the master `fd` from every child started from now on, until the result is called after it was closed. */
export function hideMaster(fd: number): () => void {
  nullFd ??= openSync('/dev/null', 'r+');
  const master = { fd };
  masters.add(master);
  return () => {
    if (!masters.delete(master) || masters.size > 0 || nullFd === null) return;
    closeSync(nullFd);
    nullFd = null;
  };
}

/** Returns the descriptors of the open terminals. */
export function openMasters(): readonly number[] {
  return [...new Set([...masters].map(({ fd }) => fd))];
}

/** Starts a program, as `spawn` does. Every child of troupe is started here, by the two functions below, or by node-pty. */
export function startChild(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(file, args, { ...options, stdio: withoutMasters(options.stdio) });
}

/** Runs a short program to its end, as `spawnSync` does, and blocks this program meanwhile. */
export function runSync(
  file: string,
  args: readonly string[],
  options: SpawnSyncOptions,
): SpawnSyncReturns<string> {
  return spawnSync(file, args, { ...options, encoding: 'utf8', stdio: withoutMasters(options.stdio) });
}

/** End of a short program. */
export interface ProgramResult {
  readonly failed: boolean;
  /** `undefined` where the program could not be started, or ended by a signal. */
  readonly exitCode?: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Message of one line about a failure. */
  readonly shortMessage?: string | undefined;
  /** Error of a failed start. */
  readonly cause?: unknown;
}

/** Bounds of a short program: one that hangs, as `lsof` does on a dead network disk, or prints without end, has failed. */
const bounds = {
  timeout: 30_000,
  forceKillAfterDelay: 1_000,
  maxBuffer: 64 * 2 ** 20,
} as const satisfies Options;

/**
 * Runs a short program to its end, as `execa` does, for at most 30 s unless `options` says otherwise. Its stdin is empty unless there is
 * `input`; a failure does not throw.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: Options = {},
): Promise<ProgramResult> {
  const { execa } = await import('execa');
  const stdin = options.input === undefined ? 'ignore' : 'pipe';
  const stdio = withoutMasters([stdin, 'pipe', 'pipe']);
  const result = await execa(file, args, { ...bounds, ...options, stdio, reject: false } as Options);
  const { failed, exitCode, stdout, stderr, shortMessage, cause } = result;
  return { failed, exitCode, stdout: `${stdout ?? ''}`, stderr: `${stderr ?? ''}`, shortMessage, cause };
}

/** Puts /dev/null in the place of each master; libuv leaves ignored descriptors alone. */
function withoutMasters(stdio: StdioOptions | undefined): StdioOptions | undefined {
  if (masters.size === 0 || nullFd === null) return stdio;
  const standard = Array.isArray(stdio) ? stdio : [0, 1, 2].map(() => stdio ?? 'pipe');
  const hidden = new Set(openMasters());
  const rest = Array.from({ length: Math.max(...hidden) - 2 }, (_, index) =>
    hidden.has(index + 3) ? nullFd : 'ignore',
  );
  return [...standard, ...rest];
}
