import type { Cancel } from '../clock/clock.ts';
import { InputWatch, type InputWatchHandle, type InputWatchOptions } from '../input-detection/input-watch.ts';
import type { OutputLog } from '../output/output-log.ts';
import { createRandomId } from '../process/process-id.ts';
import { findListeningPorts } from '../readiness/listening-ports.ts';
import { type ReadinessOptions, watchReadiness } from '../readiness/watch-readiness.ts';
import type { BackendPort } from '../spawn/backend.ts';

/** Sources of a supervisor that a recording replaces: random values, the runs of processes, and checks of the system. */
export interface SystemDeps {
  /** Returns the id of a process or schedule; `of` is the command line or the message. */
  createId(kind: 'tool' | 'agent' | 'service' | 'schedule', of: string): string;
  /** Returns the seed for the jitter of the restarts of a process. */
  createSeed(id: string): number;
  /** Runs an attempt, with `start` or in its place. */
  runAttempt(port: BackendPort, attempt: AttemptStart): Cancel | undefined;
  watchReadiness(id: string, options: ReadinessOptions): Cancel;
  watchInput(id: string, options: InputWatchOptions): InputWatchHandle;
  /** Returns the TCP ports on which these processes listen. */
  findPorts(pids: readonly number[]): Promise<readonly number[]>;
}

export interface AttemptStart {
  /** Starts or adopts the attempt on the backend of its process. */
  start(port: BackendPort): Cancel | undefined;
  readonly commandLine: string;
  readonly log: OutputLog;
  /** True if another supervisor has started it. */
  readonly adopts: boolean;
}

/** Uses this machine and real random values. */
export const realSystem: SystemDeps = {
  createId: (kind) => `${kind}_${createRandomId()}`,
  createSeed: () => Math.floor(Math.random() * 2 ** 32),
  runAttempt: (port, { start }) => start(port),
  watchReadiness: (_id, options) => watchReadiness(options),
  watchInput: (_id, options) => new InputWatch(options),
  findPorts: findListeningPorts,
};
