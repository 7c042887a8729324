import { z } from 'zod';
import { parseOptions } from '../../config/parse-options.ts';
import { type CommandSpec, commandSpec, type FunctionSpec, functionSpec } from '../../config/process-spec.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { RestartStrategy } from './restart-scope.ts';

const dependsOn = z.array(z.string()).default([]);
const commandMember = commandSpec.extend({ dependsOn });
const functionMember = functionSpec.extend({ dependsOn });

/** Options of `startGroup`. */
const groupOptions = z.strictObject({
  /** What the end of one process means for the others. Default `oneForOne`: nothing. */
  strategy: z.enum(['oneForOne', 'oneForAll', 'restForOne']).default('oneForOne'),
  /** Each is checked by itself, as what `start` takes, and `dependsOn`. */
  processes: z.record(z.string().min(1), z.looseObject({})),
});

/**
 * Starts once all those named in `dependsOn` are ready. Unlike other processes it has no `maxBackgroundTime`, and its
 * restart policy is `transient`, unless it says otherwise.
 */
export type GroupProcessSpec = (CommandSpec | FunctionSpec) & { readonly dependsOn?: readonly string[] };

export interface GroupOptions {
  readonly strategy?: RestartStrategy;
  /** By name; those that do not depend on each other start in this order. */
  readonly processes: Readonly<Record<string, GroupProcessSpec>>;
}

export interface GroupMemberPlan {
  readonly spec: CommandSpec | FunctionSpec;
  readonly dependsOn: readonly string[];
  readonly policy: 'temporary' | 'transient' | 'permanent';
}

interface GroupPlan {
  readonly strategy: RestartStrategy;
  readonly members: ReadonlyMap<string, GroupMemberPlan>;
}

/** @throws TroupeError `invalid-option` */
export function parseGroup(input: GroupOptions): GroupPlan {
  const { strategy, processes } = parseOptions(groupOptions, { input, name: 'startGroup' });
  const members = Object.entries(processes).map(([name, spec]) => [name, parseMember(name, spec)] as const);
  if (members.length === 0) {
    const message = 'startGroup: "processes" is empty; expected at least one process.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  return { strategy, members: new Map(members) };
}

/** A member serves until the group stops it: it runs in the background without a limit, and is restarted when it fails. */
const serviceDefaults = {
  kind: 'service',
  background: true,
  maxBackgroundTime: 0,
  policy: 'transient',
} as const;

/** What was given goes on as it was given: the supervisor fills in its own defaults. */
function parseMember(name: string, input: Record<string, unknown>): GroupMemberPlan {
  const call = { input, name: `startGroup: processes.${name}` };
  const parsed = 'run' in input ? parseOptions(functionMember, call) : parseOptions(commandMember, call);
  const { dependsOn: _, ...given } = input;
  const { restart, ...rest } = given as CommandSpec | FunctionSpec;
  const policy = restart?.policy ?? serviceDefaults.policy;
  const { policy: _policy, ...defaults } = serviceDefaults;
  return {
    spec: { ...defaults, label: name, ...rest, restart: { ...restart, policy } },
    dependsOn: [...new Set(parsed.dependsOn)],
    policy,
  };
}
