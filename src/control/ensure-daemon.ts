import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fstatSync, ftruncateSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { DEPTH_VARIABLE } from '../config/depth.ts';
import type { CommandSpec } from '../config/process-spec.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { ProcessView } from '../process/process-view.ts';
import { LINEAGE } from '../spawn/environment.ts';
import { startChild } from '../spawn/start-child.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import { makeDirectory } from '../store/make-directory.ts';
import { openPrivateFile, readPrivateFile } from '../store/private-files.ts';
import { toStatePaths } from '../store/state-paths.ts';
import type { SupervisorRegistry } from '../store/supervisor-registry.ts';
import { type ControlClient, connectControl } from './control-client.ts';
import { isCode, isPeer, QUICK } from './protocol.ts';

interface EnsureDaemonOptions {
  /** The state directory. */
  readonly directory: string;
  /** What is run with this Node: it must understand `serve --state-dir <directory>`. */
  readonly program: string;
  readonly clock?: Clock;
  /** The daemon must answer by then. Default 10 s. */
  readonly deadlineMs?: number;
}

/** A daemon that can be asked. It does not end while this is open. */
interface DaemonClient {
  readonly supervisorId: string;
  /**
   * Starts a process there, in the environment of this program. Rejects with what the supervisor refused; with `unreachable` where
   * the daemon ended meanwhile, and then nobody knows whether it was started.
   */
  start(spec: CommandSpec): Promise<ProcessView>;
  /** Ends the daemon, and what does not outlive it. */
  shutdown(): Promise<void>;
  close(): void;
}

const LOOK_MS = 20;
/** A daemon that found another one has ended; that one must be seen soon. */
const OTHER_MS = 1_000;
const MAX_LOG_BYTES = 64 * 1024;
const MAX_LOG_LINES = 12;

/** Of the program that happens to start it, the daemon knows nothing: it is not one of its processes. */
const callersVariables = [
  LINEAGE,
  DEPTH_VARIABLE,
  'TROUPE_PROCESS_ID',
  'TROUPE_SUPERVISOR_ID',
  'TROUPE_OWNER',
] as const;

/**
 * The daemon of a state directory; where there is none, one is started and waited for.
 *
 * @throws TroupeError `unreachable`, with what the daemon said; what the system says where the directory cannot be written.
 */
export async function ensureDaemon(options: EnsureDaemonOptions): Promise<DaemonClient> {
  const { clock = createRealClock(), deadlineMs = 10_000, program } = options;
  const paths = toStatePaths(options.directory);
  const roll = createFileSupervisorRegistry({ directory: paths.directory, clock });
  const untilMs = clock.nowMs() + deadlineMs;
  const logPath = join(paths.supervisors, 'daemon.log');
  let started: Started | null = null;
  while (true) {
    const client = await reach(roll);
    if (client !== null) return client;
    const nowMs = clock.nowMs();
    if (started === null || (started.hasYielded() && nowMs > started.sinceMs + OTHER_MS)) {
      makeDirectory(paths.supervisors);
      started = startDaemon({ program, directory: paths.directory, logPath, nowMs });
    }
    const failure = started.failure();
    if (failure !== null) throw notStarted(failure, logPath);
    if (nowMs > untilMs)
      throw findMute(roll) ?? notStarted(`it did not answer within ${deadlineMs} ms`, logPath);
    await pause(clock, { ms: LOOK_MS });
  }
}

/** One that answers will not end while the connection stands. */
async function reach(roll: SupervisorRegistry): Promise<DaemonClient | null> {
  for (const { entry, state } of roll.list()) {
    if (state !== 'alive' || entry.role !== 'daemon' || !isPeer(entry)) continue;
    try {
      const client = await connectControl(entry.socket);
      await client.call('hello', {}, QUICK);
      return toDaemonClient(entry.id, client);
    } catch (error) {
      // It is just ending; or it does not answer, which is told at the end of the wait.
      if (!isCode(error, 'unreachable')) throw error;
    }
  }
  return null;
}

function toDaemonClient(supervisorId: string, client: ControlClient): DaemonClient {
  return {
    supervisorId,
    start: (spec) => client.call('start', { spec: toJson(spec), env: ownEnvironment() }, QUICK),
    shutdown: async () => {
      await client.call('shutdown', {}, QUICK);
    },
    close: () => client.close(),
  };
}

/** JSON has no regular expressions. */
function toJson(spec: CommandSpec): Record<string, unknown> {
  const line = spec.ready?.line;
  if (!(line instanceof RegExp)) return { ...spec };
  return { ...spec, ready: { ...spec.ready, line: { source: line.source, flags: line.flags } } };
}

function ownEnvironment(): Record<string, string> {
  const given = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(given);
}

interface Started {
  readonly sinceMs: number;
  /** It found another daemon. */
  hasYielded(): boolean;
  /** Why there will be none. */
  failure(): string | null;
}

function startDaemon(call: { program: string; directory: string; logPath: string; nowMs: number }): Started {
  const { program, directory, logPath, nowMs } = call;
  const log = openLog(logPath);
  const env = { ...process.env };
  for (const name of callersVariables) delete env[name];
  let child: ChildProcess;
  try {
    child = startChild(process.execPath, [program, 'serve', '--state-dir', directory], {
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

/** What daemons said, for who looks for the reason of a failure: not more than a page or two. */
function openLog(path: string): number {
  const log = openPrivateFile(path, 'append');
  if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log, 0);
  return log;
}

function notStarted(why: string, logPath: string): TroupeError {
  const words = readTail(logPath);
  const said = words === '' ? `it said nothing in ${logPath}` : `in ${logPath} it said:\n${words}`;
  // What it had to say may have found no room.
  const reason = isDiskFull(dirname(logPath)) ? `the disk is full, so make room; ${why}` : why;
  const message = `The daemon could not be started: ${reason}; ${said}`;
  return new TroupeError({ code: 'unreachable', message });
}

function isDiskFull(directory: string): boolean {
  try {
    const { blocks, bavail } = statfsSync(directory);
    // Some file systems count no blocks at all.
    return blocks > 0 && bavail === 0;
  } catch {
    return false;
  }
}

/** The daemon that has the place of every other one, and does not answer. */
function findMute(roll: SupervisorRegistry): TroupeError | null {
  for (const { entry, state } of roll.list()) {
    if (state !== 'alive' || entry.role !== 'daemon' || !isPeer(entry)) continue;
    const { pid, socket } = entry;
    const isGone = !existsSync(socket);
    const why = isGone ? `its socket ${socket} is gone` : `it is busy or halted`;
    const wayOut = isGone ? `kill ${pid}` : `kill -CONT ${pid}; kill ${pid}`;
    const message = `The daemon (pid ${pid}) runs, and cannot be reached: ${why}. End it, and what it runs, with: ${wayOut}. Then try again.`;
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
