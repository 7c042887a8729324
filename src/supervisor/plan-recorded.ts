import type { RunSettings } from '../../machines/process/context.ts';
import { SERVERS_VARIABLE } from '../config/remote-options.ts';
import type { Launch, ProcessPlan } from '../process/process-plan.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { toDescription } from '../process/process-view.ts';
import { inactiveSettings, toReadinessSettings, toRunSettings } from '../process/restored-process.ts';
import type { Backend } from '../spawn/backend.ts';
import { createLeaderBackend } from '../spawn/leader-backend.ts';
import type { Unavailable } from '../spawn/terminal/terminal-deps.ts';
import { createPlan } from './create-plan.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** Restores the plan of a process that another supervisor started, as far as its record has it. */
export function planRecorded(record: ProcessRecord, deps: SupervisorDeps): ProcessPlan {
  const { view, revival } = record;
  const { settings } = deps;
  // Older records contain the environment.
  const env = revival?.env ?? (revival === null ? null : (deps.environments?.read(view.id) ?? null));
  const launch: Launch = {
    work: revival?.work ?? { type: 'argv', file: view.commandLine, args: [] },
    stdin: revival?.stdin ?? 'end',
    size: revival?.size ?? null,
    hints: revival?.hints ?? settings.hints,
    env: env ?? {},
    lostNames: env === null ? (revival?.envNames ?? []) : [],
    secrets: {},
  };
  const isDurable = revival !== null;
  return createPlan(
    {
      description: toDescription(view),
      ...{ cwd: view.cwd, terminal: view.terminal, input: null, launch },
      fingerprint: revival?.likeness ?? record.likeness ?? '',
      run: { ...(revival === null ? inactive(deps) : toRunSettings(revival)), background: true },
      ready: revival?.ready == null ? null : toReadinessSettings(revival.ready),
      output: {
        maxBufferBytes: settings.maxBufferBytes,
        headBytes: settings.headBytes,
        maxReplyBytes: revival?.maxReplyBytes ?? settings.maxReplyBytes,
        secrets: [],
      },
      maxLogBytes: view.output.logFile === null ? null : (revival?.maxLogBytes ?? settings.maxLogBytes),
      backend: findBackend(record, deps),
      writesFiles: isDurable,
      outlives: isDurable,
    },
    deps,
  );
}

/** Returns the backend of a process. If the process has ended, or cannot be adopted here, the backend can only end its tree. */
function findBackend(record: ProcessRecord, deps: SupervisorDeps): Backend {
  const { view, revival } = record;
  const hasEnded = 'endedAt' in view;
  // Processes of the option "backend" are not in the process table.
  if (hasEnded && deps.treeDeps === null && deps.durableBackend !== null) return deps.durableBackend;
  const lastResort = createLeaderBackend(view.mode, { deps: deps.treeDeps, hasEnded });
  if (hasEnded || revival === null) return lastResort;
  const backend = findRecordedBackend(record, deps);
  return 'why' in backend ? lastResort : backend;
}

/** Returns the settings of a process that is not started again. Only the limits for a kill of its leftovers are active. */
function inactive({ settings }: SupervisorDeps): RunSettings {
  const { killGrace: killGraceMs, drainQuiet: drainQuietMs, drainMax: drainMaxMs } = settings;
  return {
    ...inactiveSettings,
    limits: { ...inactiveSettings.limits, killGraceMs, drainQuietMs, drainMaxMs },
  };
}

/** Finds the backend that runs a recorded persistent process. */
export function findRecordedBackend(
  { view, revival }: ProcessRecord,
  deps: SupervisorDeps,
): Backend | Unavailable {
  if (view.mode === 'remote') return deps.remote ?? noServers;
  const isOwn = deps.settings.backend !== undefined;
  if (revival?.size == null) return deps.durableBackend ?? ownBackend;
  const tmux = deps.terminals.tmux();
  return 'why' in tmux && isOwn ? ownBackend : tmux;
}

const noServers: Unavailable = {
  why: 'this supervisor has no option "remote"',
  remedy: `Give it one, or set ${SERVERS_VARIABLE}`,
};

const ownBackend: Unavailable = {
  why: 'the backend of the option "backend" adopts no processes',
  remedy: 'Leave that option out',
};
