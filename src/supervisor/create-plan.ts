import { keepForTurn } from '../clock/keep-for-turn.ts';
import { isOwnId } from '../config/own-id.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import type { ProcessDescription } from '../process/process-view.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { SpawnFiles, SpawnRequest } from '../spawn/backend.ts';
import { createEnvironment, type Hints } from '../spawn/environment.ts';
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
  const { id } = description;
  // Derived from the id, never read from a record: a forged record must not name another file.
  const own: SpawnFiles | null =
    paths === null ? null : { log: paths.logOf(id), status: paths.statusOf(id), screen: paths.screenOf(id) };
  const files = decided.writesFiles ? own : null;
  const { maxLogBytes } = decided;
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
    directory: decided.cwd,
    outlives: decided.outlives,
  };
}

/** Returns the request to a backend for one attempt. */
export function toRequest(
  { plan, input, life }: Pick<SupervisedProcess, 'plan' | 'input' | 'life'>,
  { attempt, deps }: { readonly attempt: number; readonly deps: SupervisorDeps },
): SpawnRequest {
  const { id, owner, launch, directory, files, outlives, resourceLimits } = plan;
  const { work, stdin, size, hints, env, secrets } = launch;
  const { settings, depth } = deps;
  const isCommand = work.type !== 'function' && work.type !== 'worker';
  // A backend keeps its request, but not the environment, while the process lives.
  const getEnv = keepForTurn(() =>
    toEnvironment(
      { id, owner, depth, hints, hasTerminal: size !== null, overrides: { ...env, ...secrets } },
      deps,
    ),
  );
  return {
    id,
    attempt,
    work,
    cwd: directory,
    // Functions and workers have the environment of this program.
    get env() {
      return isCommand ? getEnv() : {};
    },
    stdin,
    ...{ outlives, limits: resourceLimits },
    // Its size may have been changed since.
    terminal: input.terminal.orderedSize,
    secrets: Object.values(secrets),
    files,
    ...(plan.host !== null && {
      portable: {
        ...{ pool: plan.host.replace(/^pool:/, ''), owner, depth, hints },
        // Ids of troupe are random and short: among many programs two starts may have the same.
        identity: isOwnId(id) ? plan.fingerprint : `${plan.fingerprint} ${life.times.createdAt}`,
        overrides: { ...settings.env, ...env },
        orderedAt: life.times.createdAt,
      },
    }),
  };
}

/** Returns the whole environment of a command of this machine. */
export function toEnvironment(
  {
    id,
    owner,
    depth,
    hints,
    hasTerminal,
    overrides,
  }: {
    readonly id: string;
    readonly owner: string;
    readonly depth: number;
    readonly hints: Hints;
    readonly hasTerminal: boolean;
    /** Additions to that of the supervisor; `null` removes a variable. */
    readonly overrides: Readonly<Record<string, string | null>>;
  },
  { settings, supervisorId, isRedacted, toMark }: SupervisorDeps,
): Record<string, string> {
  return createEnvironment({
    inherited: process.env,
    isRedacted,
    hasTerminal,
    // The backend sets the type of its terminal.
    hints: hasTerminal ? { ...hints, term: false } : hints,
    overrides: { ...settings.env, ...overrides },
    identity: { processId: id, mark: toMark(id), supervisorId, owner, depth },
  });
}
