import { z } from 'zod';
import { parseOptions } from '../config/parse-options.ts';
import { killOptions } from '../config/process-order-options.ts';
import { type CommandSpec, commandSpec, type FunctionSpec, functionSpec } from '../config/process-spec.ts';
import type { EndingSignal } from '../config/signal-name.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { RestartStrategy } from './restart-scope.ts';

/** State of a dependency that a start waits for: ready, or ended with code 0. */
const awaited = z.enum(['ready', 'completed']);

/** Schema of `GroupMemberOptions`. */
export const memberOptions = {
  dependsOn: z
    .union([z.array(z.string().min(1)), z.record(z.string().min(1), awaited)], {
      error: () => 'a list of names, or an object of names with "ready" or "completed"',
    })
    .default([]),
  oneShot: z.boolean().optional(),
  stopSignal: killOptions.shape.signal.removeDefault().optional(),
};

const commandMember = commandSpec.extend(memberOptions);
const functionMember = functionSpec.extend(memberOptions);

/** Schema of `GroupOptions`. */
export const groupOptions = z.strictObject({
  strategy: z.enum(['oneForOne', 'oneForAll', 'restForOne']).default('oneForOne'),
  processes: z.record(z.string().min(1), z.looseObject({})),
});

/** Options of a process of a group, beside those of `start`. */
export interface GroupMemberOptions {
  /**
   * Processes of the group that must be ready before this one starts, by name. An object says for each what is awaited: `ready`, or
   * `completed`, an end with code 0. Default: none.
   */
  readonly dependsOn?: readonly string[] | Readonly<Record<string, 'ready' | 'completed'>> | undefined;
  /**
   * Ends by itself: the group counts it as ready once it has ended with code 0, and it is not restarted by default. Default: `true` if another
   * process waits for its completion, else `false`.
   */
  readonly oneShot?: boolean | undefined;
  /** The signal that stops it. Default SIGTERM. */
  readonly stopSignal?: EndingSignal | undefined;
}

/**
 * A process of a group. It starts once all dependencies are ready, or have ended with code 0 if `dependsOn` says `completed`. By
 * default it has no `maxBackgroundTime`, and its restart policy is `transient`; that of a one-shot is `temporary`.
 */
export type GroupProcessSpec = (CommandSpec | FunctionSpec) & GroupMemberOptions;

type DependsOn = NonNullable<GroupProcessSpec['dependsOn']>;

type Awaited = z.output<typeof awaited>;

/** Options of `startGroup`. Only `processes` is required. */
export interface GroupOptions {
  /**
   * Other processes restarted when one terminates: none (`oneForOne`), all (`oneForAll`), or those that were started after it
   * (`restForOne`). Default `oneForOne`.
   */
  readonly strategy?: RestartStrategy | undefined;
  /** Processes by name, at least one; independent ones start in this order. */
  readonly processes: Readonly<Record<string, GroupProcessSpec>>;
}

export interface GroupMemberPlan {
  readonly spec: CommandSpec | FunctionSpec;
  readonly dependsOn: ReadonlyMap<string, Awaited>;
  /** `true` if the process ends by itself, see `oneShot`. */
  readonly isOneShot: boolean;
  /** `null`: the default. */
  readonly stopSignal: EndingSignal | null;
  readonly policy: 'temporary' | 'transient' | 'permanent';
}

interface GroupPlan {
  readonly strategy: RestartStrategy;
  readonly members: ReadonlyMap<string, GroupMemberPlan>;
}

/** @throws TroupeError `invalid-option` */
export function parseGroup(input: GroupOptions): GroupPlan {
  const { strategy, processes } = parseOptions(groupOptions, { input, name: 'startGroup' });
  const awaitedOnes = findAwaited(processes);
  const members = Object.entries(processes).map(
    ([name, spec]) => [name, parseMember(spec, { name, isAwaited: awaitedOnes.has(name) })] as const,
  );
  if (members.length === 0) {
    const message = 'startGroup: "processes" is empty; expected at least one process.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  return { strategy, members: new Map(members) };
}

/** Defaults of a member: it runs in the background without a limit, and is restarted when it fails. */
const serviceDefaults = {
  kind: 'service',
  background: true,
  maxBackgroundTime: 0,
  policy: 'transient',
} as const;

/** Converts either form of `dependsOn` to a map by name. */
export function toDependencies(dependsOn: DependsOn = []): ReadonlyMap<string, Awaited> {
  return new Map(
    Array.isArray(dependsOn)
      ? dependsOn.map((name: string) => [name, 'ready'] as const)
      : Object.entries(dependsOn as Readonly<Record<string, Awaited>>),
  );
}

function findAwaited(processes: Readonly<Record<string, Record<string, unknown>>>): ReadonlySet<string> {
  const waits = Object.values(processes).flatMap(({ dependsOn }) => {
    const parsed = memberOptions.dependsOn.safeParse(dependsOn);
    return parsed.success ? [...toDependencies(parsed.data)] : [];
  });
  return new Set(waits.flatMap(([name, until]) => (until === 'completed' ? [name] : [])));
}

/** Passes the options on as given: the supervisor applies its own defaults. */
function parseMember(
  input: Record<string, unknown>,
  { name, isAwaited }: { readonly name: string; readonly isAwaited: boolean },
): GroupMemberPlan {
  const call = { input, name: `startGroup: processes.${name}` };
  const parsed = 'run' in input ? parseOptions(functionMember, call) : parseOptions(commandMember, call);
  const { dependsOn: _, stopSignal: _stopSignal, oneShot: _oneShot, ...given } = input;
  const isOneShot = isAwaited || parsed.oneShot === true;
  const { restart, ...rest } = given as unknown as CommandSpec | FunctionSpec;
  const policy = restart?.policy ?? (isOneShot ? 'temporary' : serviceDefaults.policy);
  const { policy: _policy, ...defaults } = serviceDefaults;
  return {
    spec: { ...defaults, label: name, ...rest, restart: { ...restart, policy } },
    dependsOn: toDependencies(parsed.dependsOn),
    isOneShot,
    stopSignal: (parsed.stopSignal as EndingSignal | undefined) ?? null,
    policy,
  };
}
