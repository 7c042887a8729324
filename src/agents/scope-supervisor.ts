import type { AgentDefinition, agentSupervisorOptions } from '../config/agent-file-schema.ts';
import { DEPTH_VARIABLE } from '../config/depth-variable.ts';
import { type Duration, duration } from '../config/duration.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import { supervisorOptions } from '../config/supervisor-options.ts';
import { decideExecution } from '../policy/decide-execution.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { toSupervisorOptions } from './agent-settings.ts';

/** Settings of an agent that apply to each of its processes; the others concern the supervisor as a whole. */
const PER_PROCESS = [
  'maxBackgroundTime',
  'killGrace',
  'drainQuiet',
  'drainMax',
  'notifyAfterSilence',
  'notifyAfter',
  'maxBufferBytes',
  'headBytes',
  'maxLogBytes',
] as const satisfies readonly (keyof typeof agentSupervisorOptions.shape)[];

const PER_COMMAND = ['shell', 'hints'] as const;

/**
 * Scopes the supervisor of the agent above for an agent in the same program: its processes use its own settings and
 * depth. Concurrency limits and retention remain those of the supervisor's owner.
 */
export function scopeSupervisor(
  supervisor: Supervisor,
  scope: {
    readonly definition: AgentDefinition;
    readonly depth: number;
    readonly env: Readonly<Record<string, string>>;
  },
): Supervisor {
  const options = toSupervisorOptions(scope.definition);
  const settings = parseOptions(supervisorOptions, {
    input: options,
    name: `agent ${scope.definition.name}`,
  });
  const own = pickGiven(options, PER_PROCESS);
  const ownOfCommands = pickGiven(options, PER_COMMAND);
  const env = { ...options.env, ...scope.env, [DEPTH_VARIABLE]: String(scope.depth) };

  const adapt = <S extends CommandSpec | FunctionSpec>(spec: S): S => {
    const wishes = {
      tool: spec.tool,
      background: spec.background,
      timeout: toMilliseconds(spec.timeout),
      onTimeout: spec.onTimeout,
      maxExecutionTime: toMilliseconds(spec.maxExecutionTime) ?? settings.maxExecutionTime,
    };
    const { background, timeoutMs, onTimeout } = decideExecution(settings, wishes);
    const decided = { background, timeout: timeoutMs, onTimeout, maxExecutionTime: wishes.maxExecutionTime };
    if ('run' in spec) return { ...own, ...spec, ...decided };
    const lifetime = background && spec.kind !== 'agent' ? { lifetime: settings.lifetime } : {};
    return {
      ...own,
      ...ownOfCommands,
      ...lifetime,
      ...spec,
      ...decided,
      env: { ...env, ...(spec as CommandSpec).env },
    };
  };
  return {
    ...supervisor,
    start: (spec) => supervisor.start(adapt(spec)),
    execute: (spec) => supervisor.execute(adapt(spec)),
  };
}

function toMilliseconds(value: Duration | undefined): number | undefined {
  return value === undefined ? undefined : parseOptions(duration, { input: value, name: 'start' });
}

function pickGiven<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const given = keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]);
  return Object.fromEntries(given) as Partial<Pick<T, K>>;
}
