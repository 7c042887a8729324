import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fstatSync, ftruncateSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { DEPTH_VARIABLE } from '../config/depth-variable.ts';
import { formatDuration } from '../config/format-duration.ts';
import type { CommandSpec } from '../config/process-spec.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ProcessView } from '../process/process-view.ts';
import { leaveCgroup } from '../spawn/cgroup/join-cgroup.ts';
import { LINEAGE, NO_ANCESTORS } from '../spawn/environment.ts';
import { startChild } from '../spawn/start-child.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import { makeDirectory } from '../store/make-directory.ts';
import { openPrivateFile, readPrivateFile } from '../store/private-files.ts';
import { toStatePaths } from '../store/state-paths.ts';
import type { SupervisorRegistry } from '../store/supervisor-registry.ts';
import { type ControlClient, connectControl } from './control-client.ts';
import { isCode, isPeer, type Peer, QUICK } from './protocol.ts';

interface EnsureDaemonOptions {
  /** State directory. */
  readonly directory: string;
  /** Program to run with this Node; it must understand `serve --state-dir <directory>`. */
  readonly program: string;
  readonly clock?: Clock;
  /** Deadline for the daemon's first answer. Default 10 s. */
  readonly deadlineMs?: number;
}

/** Daemon that accepts requests. It does not end while this client is open. */
interface DaemonClient {
  readonly supervisorId: string;
  /** Path of its control socket. */
  readonly socket: string;
  /**
   * Starts a process there, in the environment of this program. Rejects with the supervisor's refusal, or with
   * `unreachable` where the daemon ended meanwhile; then it is unknown whether the process was started.
   */
  start(spec: CommandSpec): Promise<ProcessView>;
  /** Ends the daemon and the processes that do not outlive it. */
  shutdown(): Promise<void>;
  close(): void;
}

const LOOK_MS = 20;
/** Time within which the other daemon must answer after one has yielded to it. */
const OTHER_MS = 1_000;
const MAX_LOG_BYTES = 64 * 1024;
const MAX_LOG_LINES = 12;

/** Variables of the calling process that the daemon must not inherit: it is not one of the caller's processes. */
const callerVariables = [
  DEPTH_VARIABLE,
  'TROUPE_PROCESS_ID',
  'TROUPE_SUPERVISOR_ID',
  'TROUPE_OWNER',
] as const;

/**
 * Connects to the daemon of a state directory, starting one if there is none.
 *
 * @throws TroupeError `unreachable`, with the daemon's output; the system's error where the directory cannot be
 * written.
 */
export async function ensureDaemon(options: EnsureDaemonOptions): Promise<DaemonClient> {
  const { clock = createRealClock(), deadlineMs = 10_000, program } = options;
  const paths = toStatePaths(options.directory);
  const registry = createFileSupervisorRegistry({ directory: paths.directory, clock });
  const untilMs = clock.nowMs() + deadlineMs;
  const logPath = join(paths.supervisors, 'daemon.log');
  let started: Started | null = null;
  while (true) {
    const client = await connectDaemon(registry);
    if (client !== null) return client;
    const nowMs = clock.nowMs();
    if (started === null || (started.hasYielded() && nowMs > started.sinceMs + OTHER_MS)) {
      makeDirectory(paths.supervisors);
      started = startDaemon({ program, directory: paths.directory, logPath, nowMs });
    }
    const failure = started.failure();
    if (failure !== null) throw startError(failure, logPath);
    if (nowMs > untilMs)
      throw (
        findUnresponsiveDaemon(registry) ??
        startError(`it did not answer within ${formatDuration(deadlineMs)}`, logPath)
      );
    await pause(clock, { ms: LOOK_MS });
  }
}

/** Connects to a daemon that responds; it will not end while the connection is open. */
async function connectDaemon(registry: SupervisorRegistry): Promise<DaemonClient | null> {
  for (const { entry, state } of registry.list()) {
    if (state !== 'alive' || entry.role !== 'daemon' || !isPeer(entry)) continue;
    try {
      const client = await connectControl(entry.socket);
      await client.call('hello', {}, QUICK);
      return toDaemonClient(entry, client);
    } catch (error) {
      // It is ending, or does not answer; the latter is reported when the deadline passes.
      if (!isCode(error, 'unreachable')) throw error;
    }
  }
  return null;
}

function toDaemonClient({ id, socket }: Peer, client: ControlClient): DaemonClient {
  return {
    supervisorId: id,
    socket,
    start: (spec) =>
      client.call('start', { spec: toJson(spec), ...(isHere(spec) && { env: ownEnvironment() }) }, QUICK),
    shutdown: async () => {
      await client.call('shutdown', {}, QUICK);
    },
    close: () => client.close(),
  };
}

/** Replaces the regular expression, which JSON cannot hold, by its source and flags. */
function toJson(spec: CommandSpec): Record<string, unknown> {
  const line = spec.ready?.line;
  if (!(line instanceof RegExp)) return { ...spec };
  return { ...spec, ready: { ...spec.ready, line: { source: line.source, flags: line.flags } } };
}

export function ownEnvironment(): Record<string, string> {
  const given = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(given);
}

interface Started {
  readonly sinceMs: number;
  /** Tells whether it ended because another daemon exists. */
  hasYielded(): boolean;
  /** Returns why it failed to start; `null` while it may still succeed. */
  failure(): string | null;
}

function startDaemon(call: { program: string; directory: string; logPath: string; nowMs: number }): Started {
  const { program, directory, logPath, nowMs } = call;
  const log = openLog(logPath);
  const env = { ...process.env };
  for (const name of callerVariables) delete env[name];
  env[LINEAGE] = NO_ANCESTORS;
  let child: ChildProcess;
  try {
    const [file, ...args] = leaveCgroup({
      command: [process.execPath, program, 'serve', '--state-dir', directory],
      env,
    });
    child = startChild(file, args, {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
      env,
    });
  } finally {
    closeSync(log);
  }
  let failure: string | null = null;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.unref();
  return {
    sinceMs: nowMs,
    hasYielded: () => child.exitCode === 0,
    failure: () => {
      if (child.signalCode !== null) return `it was ended by ${child.signalCode}`;
      return child.exitCode === null || child.exitCode === 0
        ? failure
        : `it exited with code ${child.exitCode}`;
    },
  };
}

/** Opens the log of daemon output, kept to a page or two for diagnosing failures. */
function openLog(path: string): number {
  const log = openPrivateFile(path, 'append');
  if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log, 0);
  return log;
}

function startError(why: string, logPath: string): TroupeError {
  const words = readTail(logPath);
  const said = words === '' ? `it wrote nothing to ${logPath}` : `it wrote to ${logPath}:\n${words}`;
  // A full disk may have swallowed its last words.
  const reason = isDiskFull(dirname(logPath)) ? `the disk is full, so make room; ${why}` : why;
  const message = `The daemon could not be started: ${reason}; ${said}`;
  return new TroupeError({ code: 'unreachable', message });
}

function isDiskFull(directory: string): boolean {
  try {
    const { blocks, bavail } = statfsSync(directory);
    // Some file systems report no blocks at all.
    return blocks > 0 && bavail === 0;
  } catch {
    return false;
  }
}

/** Returns an error for a live daemon that does not answer. */
function findUnresponsiveDaemon(registry: SupervisorRegistry): TroupeError | null {
  for (const { entry, state } of registry.list()) {
    if (state !== 'alive' || entry.role !== 'daemon' || !isPeer(entry)) continue;
    const { pid, socket } = entry;
    const isGone = !existsSync(socket);
    const why = isGone ? `its socket ${socket} is gone` : `it is busy or halted`;
    const wayOut = isGone ? `kill ${pid}` : `kill -CONT ${pid}; kill ${pid}`;
    const message = `The daemon (pid ${pid}) runs but cannot be reached: ${why}. End it and its processes with: ${wayOut}. Then try again.`;
    return new TroupeError({ code: 'unreachable', message });
  }
  return null;
}

const isStackLine = /^\s+at /;

function readTail(path: string): string {
  try {
    const lines = readPrivateFile(path).trimEnd().split('\n');
    return lines
      .filter((line) => !isStackLine.test(line))
      .slice(-MAX_LOG_LINES)
      .join('\n');
  } catch {
    return '';
  }
}

/** The environment of this program means nothing on another host. */
function isHere({ host = 'local' }: CommandSpec): boolean {
  return host === 'local';
}
