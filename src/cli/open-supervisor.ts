import { createReachableSupervisor } from '../control/reachable-supervisor.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import type { CliIo } from './cli-io.ts';

/**
 * A supervisor for what a person starts: no limit but those that are asked for, and the environment as it is. An agent's hints would
 * surprise a person.
 */
export function openSupervisor({
  stateDirectory,
  io,
  ...more
}: SupervisorOptions & { stateDirectory: string; io: CliIo }): Supervisor {
  return createReachableSupervisor({ cwd: io.cwd, stateDirectory, ...personsOptions, ...more });
}

const personsOptions = {
  // What others have left is the daemon's to take over: this program is about to end.
  recover: false,
  timeout: 0,
  maxExecutionTime: 0,
  maxBackgroundTime: 0,
  notifyAfterSilence: 0,
  redactNames: [],
  hints: { pager: false, gitPrompt: false, term: false },
} satisfies SupervisorOptions;
