import type { Limits } from '../../machines/process/context.ts';
import type { Launch, ProcessPlan } from '../process/process-plan.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { neverAgain, toReadinessSettings } from '../process/restored-process.ts';
import type { Backend } from '../spawn/backend.ts';
import { createLeaderBackend } from '../spawn/leader-backend.ts';
import type { Unavailable } from '../spawn/terminal/terminal-deps.ts';
import { toRequest, toSpawnFiles } from './plan-process.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** Restores the plan of a process that another supervisor started, as far as its record has it. */
export function planRecorded(record: ProcessRecord, deps: SupervisorDeps): ProcessPlan {
  const { view, revival } = record;
  const { settings } = deps;
  const { id, cwd, owner } = view;
  // Older records contain the environment.
  const env = revival?.env ?? (revival === null ? null : (deps.environments?.read(id) ?? null));
  const launch: Launch = {
    work: revival?.work ?? { type: 'argv', file: view.commandLine, args: [] },
    stdin: revival?.stdin ?? 'end',
    size: revival?.size ?? null,
    hints: revival?.hints ?? settings.hints,
    env: env ?? {},
    lostNames: env === null ? (revival?.envNames ?? []) : [],
    secrets: {},
  };
  // Derived from the id, never read from the record: a forged record must not name another file.
  const { paths } = deps;
  const files = revival === null || paths === null ? null : toSpawnFiles(id, paths);
  const hasLog = paths !== null && view.output.logFile !== null;
  const maxLogBytes = revival?.maxLogBytes ?? settings.maxLogBytes;
  return {
    id,
    kind: view.kind,
    command: view.command,
    commandLine: view.commandLine,
    cwd,
    fingerprint: revival?.likeness ?? record.likeness ?? '',
    label: view.label,
    owner,
    lifetime: view.lifetime,
    tool: view.tool,
    callId: view.callId,
    metadata: view.metadata,
    executionMode: view.executionMode,
    background: true,
    onTimeout: revival?.onTimeout ?? 'background',
    limits: revival?.limits ?? noLimits(deps),
    leftoverPolicy: revival?.leftoverPolicy ?? 'keep',
    restart: revival?.restart ?? neverAgain,
    ready: revival?.ready == null ? null : toReadinessSettings(revival.ready),
    output: {
      maxBufferBytes: settings.maxBufferBytes,
      headBytes: settings.headBytes,
      maxReplyBytes: revival?.maxReplyBytes ?? settings.maxReplyBytes,
      logFile: hasLog
        ? { path: paths.logOf(id), statusPath: paths.statusOf(id), maxBytes: maxLogBytes }
        : null,
      secrets: [],
      direct: files !== null,
    },
    backend: findBackend(record, deps),
    terminal: view.terminal,
    screenPath: view.terminal?.type === 'terminal' ? (paths?.screenOf(id) ?? null) : null,
    input: null,
    launch,
    files,
    toRequest: (attempt) =>
      toRequest({ id, attempt, cwd, owner, launch, files, outlives: files !== null, deps }),
  };
}

/** Returns the backend of a process. Of one that has ended, or that nothing here can adopt, only the tree can be ended. */
function findBackend(record: ProcessRecord, deps: SupervisorDeps): Backend {
  const { view, revival } = record;
  const hasEnded = 'endedAt' in view;
  // The option "backend" knows processes of its own, which are not in the process table.
  if (hasEnded && deps.treeDeps === null && deps.durableBackend !== null) return deps.durableBackend;
  const lastResort = createLeaderBackend(view.mode, { deps: deps.treeDeps, hasEnded });
  if (hasEnded || revival === null) return lastResort;
  const backend = findRecordedBackend(record, deps);
  return 'why' in backend ? lastResort : backend;
}

/** Returns the limits of an ended process, which are inactive. */
function noLimits({ settings }: SupervisorDeps): Limits {
  return {
    timeoutMs: 0,
    maxExecutionMs: 0,
    maxBackgroundMs: 0,
    killGraceMs: settings.killGrace,
    drainQuietMs: settings.drainQuiet,
    drainMaxMs: settings.drainMax,
    notifyAfterSilenceMs: 0,
    notifyAfterMs: 0,
  };
}

/** Finds the backend that runs a recorded persistent process. */
export function findRecordedBackend({ revival }: ProcessRecord, deps: SupervisorDeps): Backend | Unavailable {
  const isOwn = deps.settings.backend !== undefined;
  if (revival?.size == null) return deps.durableBackend ?? ownBackend;
  const tmux = deps.terminals.tmux();
  return 'why' in tmux && isOwn ? ownBackend : tmux;
}

const ownBackend: Unavailable = {
  why: 'the backend of the option "backend" adopts no processes',
  remedy: 'Leave that option out',
};
