import type { CommandSettings, FunctionSettings } from '../config/process-spec.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import type { Backend } from '../spawn/backend.ts';
import type { Terminals } from '../spawn/terminal/terminals.ts';
import type { EnvironmentStore } from '../store/environment-store.ts';
import type { StatePaths } from '../store/state-paths.ts';

/** What a supervisor has decided for all its processes. */
export interface PlanningGround {
  readonly supervisorId: string;
  readonly settings: SupervisorSettings;
  readonly cwd: string;
  readonly shell: string;
  readonly depth: number;
  /** Whether a variable of that name stays with this program. */
  readonly isRedacted: (name: string) => boolean;
  /** `null` where nothing is written down. */
  readonly paths: StatePaths | null;
  /** What persistent processes were given; `null` where nothing is written down. */
  readonly environments: EnvironmentStore | null;
  /** Runs commands. */
  readonly backend: Backend;
  /** Runs commands that outlive this program; `null` where there are none. */
  readonly durableBackend: Backend | null;
  readonly terminals: Terminals;
}

export type ParsedSpec = CommandSettings | FunctionSettings;
