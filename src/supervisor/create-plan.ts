import type { Launch, ProcessPlan } from '../process/process-plan.ts';
import type { ProcessDescription } from '../process/process-view.ts';
import type { SpawnFiles, SpawnRequest } from '../spawn/backend.ts';
import { createEnvironment } from '../spawn/environment.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** Decisions of a spec or a record, from which the rest of the plan follows. */
interface Decisions
  extends Pick<ProcessPlan, 'fingerprint' | 'run' | 'ready' | 'backend' | 'terminal' | 'input' | 'launch'> {
  readonly description: ProcessDescription;
  /** Directory of the command, with its secrets. */
  readonly cwd: string;
  readonly output: Omit<ProcessPlan['output'], 'logFile' | 'direct'>;
  /** Size limit of the log; `null` for no log. */
  readonly maxLogBytes: number | null;
  /** True if the process writes its output into files by itself. */
  readonly writesFiles: boolean;
  readonly outlives: boolean;
}

/** Creates the plan of a process, new or recorded. */
export function createPlan(decided: Decisions, deps: SupervisorDeps): ProcessPlan {
  const { description, fingerprint, run, ready, backend, terminal, input, launch } = decided;
  const { paths } = deps;
  const { id, owner } = description;
  // Derived from the id, never read from a record: a forged record must not name another file.
  const own: SpawnFiles | null =
    paths === null ? null : { log: paths.logOf(id), status: paths.statusOf(id), screen: paths.screenOf(id) };
  const files = decided.writesFiles ? own : null;
  const { cwd, maxLogBytes, outlives } = decided;
  return {
    ...description,
    ...{ fingerprint, run, ready, backend, terminal, input, launch, files },
    output: {
      ...decided.output,
      logFile:
        own === null || maxLogBytes === null
          ? null
          : { path: own.log, statusPath: own.status, maxBytes: maxLogBytes },
      direct: files !== null,
    },
    screenPath: terminal?.type === 'terminal' ? (own?.screen ?? null) : null,
    toRequest: (attempt) =>
      toRequest({
        id,
        attempt,
        cwd,
        owner,
        launch,
        files,
        outlives,
        limits: description.resourceLimits,
        deps,
      }),
  };
}

/** Returns the request to a backend for one attempt. */
function toRequest(start: {
  readonly id: string;
  readonly attempt: number;
  readonly cwd: string;
  readonly owner: string;
  readonly launch: Launch;
  readonly files: SpawnRequest['files'];
  readonly outlives: boolean;
  readonly limits: SpawnRequest['limits'];
  readonly deps: SupervisorDeps;
}): SpawnRequest {
  const { id, attempt, cwd, owner, launch, files, outlives, limits, deps } = start;
  const { work, stdin, size, hints, env, secrets } = launch;
  const { settings, supervisorId, depth } = deps;
  return {
    id,
    attempt,
    work,
    cwd,
    // Functions and workers have the environment of this program.
    env:
      work.type === 'function' || work.type === 'worker'
        ? {}
        : createEnvironment({
            inherited: process.env,
            isRedacted: deps.isRedacted,
            hasTerminal: size !== null,
            // The backend sets the type of its terminal.
            hints: size === null ? hints : { ...hints, term: false },
            overrides: { ...settings.env, ...env, ...secrets },
            identity: { processId: id, mark: deps.toMark(id), supervisorId, owner, depth },
          }),
    stdin,
    ...{ outlives, limits },
    terminal: size,
    secrets: Object.values(secrets),
    files,
  };
}
