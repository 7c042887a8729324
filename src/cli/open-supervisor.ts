import { readRemoteVariables } from '../config/remote-options.ts';
import { createReachableSupervisor } from '../control/reachable-supervisor.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import type { CliIo } from './cli-io.ts';

/**
 * Creates a supervisor for commands that a person starts: no limits unless they are given, the whole environment, and no hints meant for
 * agents.
 */
export function openSupervisor({
  stateDirectory,
  io,
  ...more
}: SupervisorOptions & { stateDirectory: string; io: CliIo }): Supervisor {
  return createReachableSupervisor({
    ...{ cwd: io.cwd, stateDirectory },
    ...readRemoteVariables(io.env),
    ...personOptions,
    ...more,
  });
}

const personOptions = {
  // The daemon adopts processes left by others: this program ends soon.
  recover: false,
  timeout: 0,
  maxExecutionTime: 0,
  maxBackgroundTime: 0,
  notifyAfterSilence: 0,
  redactNames: [],
  hints: { pager: false, gitPrompt: false, term: false },
} satisfies SupervisorOptions;
