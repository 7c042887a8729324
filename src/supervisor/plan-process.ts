import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Limits } from '../../machines/process/context.ts';
import { parseOptions } from '../config/parse-options.ts';
import {
  type CommandSettings,
  commandSpec,
  type FunctionSettings,
  functionSpec,
} from '../config/process-spec.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import { redactText } from '../output/redact-text.ts';
import { decideExecution } from '../policy/execution-mode.ts';
import { type Command, toCommandLine } from '../process/command.ts';
import { createProcessId } from '../process/process-id.ts';
import type { ProcessPlan } from '../process/process-plan.ts';
import type { Backend, InProcessWork, SpawnRequest, Work } from '../spawn/backend.ts';
import { createEnvironment } from '../spawn/environment.ts';
import { inProcessBackend } from '../spawn/in-process/in-process-backend.ts';

/** What a supervisor has decided for all its processes. */
export interface PlanningGround {
  readonly supervisorId: string;
  readonly settings: SupervisorSettings;
  readonly cwd: string;
  readonly shell: string;
  readonly depth: number;
  /** Whether a variable of that name stays with this program. */
  readonly isRedacted: (name: string) => boolean;
  /** `null` where no logs are kept. */
  readonly logDirectory: string | null;
  /** Runs commands. */
  readonly backend: Backend;
}

export type ParsedSpec = CommandSettings | FunctionSettings;

/** @throws TroupeError `invalid-option` */
export function parseSpec(input: unknown): ParsedSpec {
  const isFunction = typeof input === 'object' && input !== null && 'run' in input;
  return isFunction
    ? parseOptions(functionSpec, { input, name: 'start' })
    : parseOptions(commandSpec, { input, name: 'start' });
}

/** Decides everything about a process that can be decided before it exists. */
export function planProcess(spec: ParsedSpec, ground: PlanningGround): ProcessPlan {
  const { settings } = ground;
  const id = createProcessId(spec.kind);
  const maxExecutionTime = spec.maxExecutionTime ?? settings.maxExecutionTime;
  const execution = decideExecution(settings, { ...spec, maxExecutionTime });
  const command = toCommand(spec, ground);
  const secrets = 'secrets' in spec ? Object.values(spec.secrets) : [];
  const shown = redactCommand(command, secrets);
  const cwd = resolve(ground.cwd, ('cwd' in spec ? spec.cwd : undefined) ?? '.');
  return {
    id,
    kind: spec.kind,
    command: shown,
    commandLine: toCommandLine(shown),
    cwd: redactText(cwd, secrets),
    likeness: toLikeness(command, cwd),
    label: spec.label ?? null,
    owner: spec.owner ?? settings.owner,
    lifetime: spec.lifetime,
    tool: spec.tool ?? null,
    metadata: spec.metadata,
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
    },
    backend: 'run' in spec ? inProcessBackend : ground.backend,
    toRequest: (attempt) => toRequest({ id, attempt, spec, command, cwd, ground }),
  };
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
  if (ground.logDirectory === null || !spec.logFile) return null;
  const maxBytes = spec.maxLogBytes ?? ground.settings.maxLogBytes;
  return { path: join(ground.logDirectory, `${id}.log`), maxBytes };
}

function toRequest(start: {
  id: string;
  attempt: number;
  spec: ParsedSpec;
  command: Command;
  cwd: string;
  ground: PlanningGround;
}): SpawnRequest {
  const { id, attempt, spec, command, cwd, ground } = start;
  if ('run' in spec) {
    return {
      id,
      attempt,
      work: { type: 'function', run: spec.run as InProcessWork },
      cwd,
      env: {},
      stdin: 'end',
      secrets: [],
    };
  }
  const { settings, supervisorId, depth } = ground;
  const env = createEnvironment({
    inherited: process.env,
    isRedacted: ground.isRedacted,
    hints: { ...settings.hints, ...definedOnly(spec.hints ?? {}) },
    overrides: { ...settings.env, ...spec.env, ...spec.secrets },
    identity: { processId: id, supervisorId, owner: spec.owner ?? settings.owner, depth },
  });
  return {
    id,
    attempt,
    work: toWork(command),
    cwd,
    env,
    stdin: spec.stdin,
    secrets: Object.values(spec.secrets),
  };
}

function definedOnly<T extends object>(partial: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined)) as never;
}

function toWork(command: Command): Work {
  if (command.type === 'shell') return command;
  if (command.type === 'function') throw new Error(`${command.name} is no command.`);
  const [file, ...args] = command.argv;
  return { type: 'argv', file, args };
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
