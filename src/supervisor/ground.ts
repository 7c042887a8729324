import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import picomatch from 'picomatch';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { DEPTH_VARIABLE, parseDepth } from '../config/depth.ts';
import { quote } from '../config/quote.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createSupervisorId } from '../process/process-id.ts';
import type { Backend } from '../spawn/backend.ts';
import { createPipeBackend } from '../spawn/pipe/pipe-backend.ts';
import { createCurrentTable } from '../spawn/tree/current-table.ts';
import type { ProcessTable } from '../spawn/tree/process-table.ts';
import { createTreeRegistry, type TreeRegistry } from '../spawn/tree/tree-registry.ts';
import { createWatchdog, type Watchdog } from '../spawn/watchdog/watchdog.ts';
import type { PlanningGround } from './plan-process.ts';

/** What a supervisor stands on: its clock, its way to start commands, and what ends them when it cannot. */
export interface Ground extends PlanningGround {
  readonly clock: Clock;
  readonly trees: TreeRegistry;
  readonly watchdog: Watchdog | null;
  /** `null` where nothing of the operating system is started. */
  readonly table: ProcessTable | null;
}

/** @throws TroupeError `unsupported-platform`; `invalid-option` where the environment tells no depth. */
export function createGround(
  settings: SupervisorSettings,
  { reportError }: { reportError: (error: unknown) => void },
): Ground {
  const depth = settings.depth ?? readDepth(process.env[DEPTH_VARIABLE]);
  const supervisorId = createSupervisorId();
  const clock = settings.clock ?? createRealClock();
  const cwd = resolve(settings.cwd ?? process.cwd());
  const ownBackend = settings.backend as Backend | undefined;
  const table = ownBackend === undefined ? createCurrentTable() : null;
  const watchdog = table === null ? null : createWatchdog({ supervisorId, clock, reportError });
  const trees = createTreeRegistry(watchdog ?? { prepare: () => {}, add: () => {}, remove: () => {} });
  return {
    supervisorId,
    settings,
    clock,
    cwd,
    trees,
    watchdog,
    table,
    shell: settings.shell ?? (existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'),
    depth,
    // As in a shell, where a star also stands for a slash and a leading dot: names are no paths.
    isRedacted: picomatch([...settings.redactNames], { bash: true, dot: true }),
    logDirectory:
      settings.stateDirectory === false ? null : join(resolve(cwd, settings.stateDirectory), 'processes'),
    backend: ownBackend ?? createPipeBackend({ table: table ?? createCurrentTable(), trees, reportError }),
  };
}

/** What this program was told is passed on. Text that is no depth would start anew at 0, and is refused instead. */
function readDepth(text: string | undefined): number {
  if (text === undefined) return 0;
  const depth = parseDepth(text);
  if (depth !== null) return depth;
  const message = `createSupervisor: the variable ${DEPTH_VARIABLE} is ${quote(text)}; expected a whole number from 0. Unset it, or give the option "depth".`;
  throw new TroupeError({ code: 'invalid-option', message });
}
