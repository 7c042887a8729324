import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Limits } from '../../machines/process/context.ts';
import { parseOptions } from '../config/parse-options.ts';
import { commandSpec, functionSpec } from '../config/process-spec.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import { redactText, redactValue } from '../output/redact.ts';
import { decideExecution } from '../policy/execution-mode.ts';
import { type Command, toCommandLine } from '../process/command.ts';
import { createProcessId } from '../process/process-id.ts';
import type { Launch, ProcessPlan } from '../process/process-plan.ts';
import type { Backend, InProcessWork, SpawnFiles } from '../spawn/backend.ts';
import { inProcessBackend } from '../spawn/in-process/in-process-backend.ts';
import type { StatePaths } from '../store/state-paths.ts';
import { checkPersistent } from './check-persistent.ts';
import { chooseTerminal, type TerminalChoice } from './choose-terminal.ts';
import type { ParsedSpec, PlanningGround } from './planning-ground.ts';
import { toRequest, toWork } from './to-request.ts';

/** @throws TroupeError `invalid-option` */
export function parseSpec(input: unknown): ParsedSpec {
  const isFunction = typeof input === 'object' && input !== null && 'run' in input;
  return isFunction
    ? parseOptions(functionSpec, { input, name: 'start' })
    : parseOptions(commandSpec, { input, name: 'start' });
}

/** Decides everything about a process that can be decided before it exists. */
export function planProcess(given: ParsedSpec, ground: PlanningGround): ProcessPlan {
  const { settings } = ground;
  const id = createProcessId(given.kind);
  const maxExecutionTime = given.maxExecutionTime ?? settings.maxExecutionTime;
  const execution = decideExecution(settings, { ...given, maxExecutionTime });
  const isBackgroundCommand = execution.background && !('run' in given) && given.kind !== 'agent';
  const lifetime = given.lifetime ?? (isBackgroundCommand ? settings.lifetime : 'session');
  const spec = { ...given, lifetime };
  const command = toCommand(spec, ground);
  const secrets = 'secrets' in spec ? Object.values(spec.secrets) : [];
  const shown = redactCommand(command, secrets);
  const isDurable = lifetime === 'persistent';
  if (isDurable) checkPersistent(spec, ground);
  const owner = spec.owner ?? settings.owner;
  const terminal = chooseTerminal(spec, { id, ground });
  const backend = toBackend(spec, { terminal, ground });
  const files =
    writesByItself(backend, isDurable) && ground.paths !== null ? toSpawnFiles(id, ground.paths) : null;
  const launch = toLaunch(spec, { command, terminal, ground });
  const cwd = resolve(ground.cwd, ('cwd' in spec ? spec.cwd : undefined) ?? '.');
  return {
    id,
    kind: spec.kind,
    command: shown,
    commandLine: toCommandLine(shown),
    cwd: redactText(cwd, secrets),
    fingerprint: toLikeness(command, cwd),
    label: spec.label === undefined ? null : redactText(spec.label, secrets),
    owner,
    lifetime,
    tool: spec.tool ?? null,
    metadata: redactValue(spec.metadata, secrets),
    executionMode: execution.because,
    background: execution.background,
    onTimeout: execution.onTimeout,
    limits: toLimits(spec, { settings, timeoutMs: execution.timeoutMs, maxExecutionMs: maxExecutionTime }),
    leftoverPolicy: spec.leftovers,
    restart: {
      policy: spec.restart.policy,
      maxRestarts: spec.restart.maxRestarts,
      withinMs: spec.restart.within,
      minBackoffMs: spec.restart.minBackoff,
      maxBackoffMs: spec.restart.maxBackoff,
      healthyAfterMs: spec.restart.healthyAfter,
    },
    ready: spec.ready ?? null,
    output: {
      maxBufferBytes: spec.maxBufferBytes ?? settings.maxBufferBytes,
      headBytes: spec.headBytes ?? settings.headBytes,
      maxReplyBytes: settings.maxReplyBytes,
      logFile: toLogFile(spec, { id, ground }),
      secrets,
      direct: files !== null,
    },
    backend,
    terminal: terminal?.view ?? null,
    screenPath: terminal?.size == null ? null : (ground.paths?.screenOf(id) ?? null),
    launch,
    files,
    toRequest: (attempt) =>
      toRequest({ id, attempt, cwd, owner, launch, files, outlives: isDurable, ground }),
  };
}

export function toSpawnFiles(id: string, paths: StatePaths): SpawnFiles {
  return { log: paths.logOf(id), status: paths.statusOf(id), screen: paths.screenOf(id) };
}

/** A terminal of tmux does so in any case: it is not ours. */
function writesByItself({ mode }: Backend, isDurable: boolean): boolean {
  return isDurable || mode === 'tmux';
}

function toBackend(
  spec: ParsedSpec,
  { terminal, ground }: { terminal: TerminalChoice | null; ground: PlanningGround },
): Backend {
  const { backend, durableBackend } = ground;
  if ('run' in spec) return inProcessBackend;
  if (terminal?.backend != null) return terminal.backend;
  return spec.lifetime === 'persistent' ? (durableBackend ?? backend) : backend;
}

function toLimits(
  spec: ParsedSpec,
  decided: { settings: SupervisorSettings; timeoutMs: number; maxExecutionMs: number },
): Limits {
  const { settings, timeoutMs, maxExecutionMs } = decided;
  return {
    timeoutMs,
    maxExecutionMs,
    maxBackgroundMs: spec.maxBackgroundTime ?? settings.maxBackgroundTime,
    killGraceMs: spec.killGrace ?? settings.killGrace,
    drainQuietMs: spec.drainQuiet ?? settings.drainQuiet,
    drainMaxMs: spec.drainMax ?? settings.drainMax,
    notifyAfterSilenceMs: spec.notifyAfterSilence ?? settings.notifyAfterSilence,
    notifyAfterMs: spec.notifyAfter ?? settings.notifyAfter,
  };
}

function toCommand(spec: ParsedSpec, ground: PlanningGround): Command {
  if ('run' in spec) return { type: 'function', name: spec.run.name || 'anonymous' };
  if (typeof spec.command !== 'string') return { type: 'argv', argv: spec.command };
  return { type: 'shell', script: spec.command, shell: spec.shell ?? ground.shell };
}

function toLogFile(
  spec: ParsedSpec,
  { id, ground }: { id: string; ground: PlanningGround },
): ProcessPlan['output']['logFile'] {
  if (ground.paths === null || !spec.logFile) return null;
  const maxBytes = spec.maxLogBytes ?? ground.settings.maxLogBytes;
  return { path: ground.paths.logOf(id), statusPath: ground.paths.statusOf(id), maxBytes };
}

function toLaunch(
  spec: ParsedSpec,
  {
    command,
    terminal,
    ground,
  }: { command: Command; terminal: TerminalChoice | null; ground: PlanningGround },
): Launch {
  const { hints } = ground.settings;
  if ('run' in spec) {
    const work = { type: 'function', run: spec.run as InProcessWork } as const;
    return { work, stdin: 'end', size: null, hints, env: {}, lostNames: [], secrets: {} };
  }
  return {
    work: toWork(command as Exclude<Command, { type: 'function' }>),
    // Without a terminal it can at least be written to.
    stdin: spec.interactive ? 'pipe' : spec.stdin,
    size: terminal?.size ?? null,
    hints: { ...hints, ...definedOnly(spec.hints ?? {}) },
    env: spec.env,
    lostNames: [],
    secrets: spec.secrets,
  };
}

function definedOnly<T extends object>(partial: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined)) as never;
}

function toLikeness(command: Command, cwd: string): string {
  return createHash('sha256')
    .update(JSON.stringify([command, cwd]))
    .digest('base64');
}

function redactCommand(command: Command, secrets: readonly string[]): Command {
  if (secrets.length === 0 || command.type === 'function') return command;
  if (command.type === 'shell') return { ...command, script: redactText(command.script, secrets) };
  const [file, ...args] = command.argv.map((word) => redactText(word, secrets));
  return { type: 'argv', argv: [file ?? '', ...args] };
}
