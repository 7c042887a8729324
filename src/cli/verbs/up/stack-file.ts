import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { toError, toErrorText } from '../../../config/error-text.ts';
import { fromFileSection, toFileSection } from '../../../config/file-section.ts';
import { describeProblems, type Problem } from '../../../config/parse-options.ts';
import type { Checked } from '../../../config/parse-yaml.ts';
import { commandSpec } from '../../../config/process-spec.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import {
  type GroupOptions,
  type GroupProcessSpec,
  memberOptions,
  toDependencies,
} from '../../../groups/group-options.ts';
import type { RestartStrategy } from '../../../groups/restart-scope.ts';
import { startOrder } from '../../../groups/start-order.ts';
import { toErrnoText } from '../../errno-text.ts';
import { parsePattern, restartPolicies, restartWords } from '../../flag-values.ts';
import { interpolate } from './interpolate.ts';

/** Variables; YAML numbers and booleans count as text. */
const variables = z.record(
  z.string().min(1),
  z.union([z.string(), z.number(), z.boolean(), z.null()], { error: () => 'text, or null for none' }),
);

const { shape } = commandSpec;

/** Options of a process of a stack, under the names of the API. */
const processShape = {
  command: shape.command,
  host: shape.host,
  cwd: shape.cwd,
  env: variables,
  shell: shape.shell,
  dependsOn: memberOptions.dependsOn,
  oneShot: memberOptions.oneShot,
  envFile: z.array(z.string().min(1)),
  interactive: shape.interactive,
  ready: shape.ready,
  restart: z.strictObject({ ...shape.restart.unwrap().shape, policy: z.enum(restartWords) }),
  killGrace: shape.killGrace,
  resourceLimits: shape.resourceLimits,
  stopSignal: memberOptions.stopSignal,
  maxBackgroundTime: shape.maxBackgroundTime,
  maxLogBytes: shape.maxLogBytes,
  leftovers: shape.leftovers,
};

const processSection = toFileSection(processShape);

/** Schema of `troupe.yaml`, without the sections of the processes. */
const stackFile = z.strictObject({
  strategy: z.enum(['oneForOne', 'oneForAll', 'restForOne']).optional(),
  env: variables.optional(),
  processes: z.record(z.string().min(1), z.unknown()),
});

/** Processes of a stack file. */
export interface Stack {
  readonly strategy: RestartStrategy;
  /** Processes in the order of the file; directories are relative to it. */
  readonly processes: GroupOptions['processes'];
}

type Section = Readonly<Record<string, unknown>>;

/** Place of a stack file, and the environment for the variables in it. */
interface StackScope {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Checks the contents of a stack file, with its variables replaced. */
export function checkStack(given: unknown, { directory, env: outside }: StackScope): Checked<Stack> {
  const replaced = interpolate(given, outside);
  if (replaced.problems.length > 0) return { ok: false, problems: replaced.problems };
  const input = dropEmpty(isObject(replaced.value) ? replaced.value : {});
  if (!isObject(input['processes']) || Object.keys(input['processes']).length === 0) {
    const text = 'it has no processes; expected "processes:" with a name and a "command" for each.';
    return { ok: false, problems: [{ path: ['processes'], text }] };
  }
  const file = stackFile.safeParse(input);
  const outer = file.success ? [] : describeProblems(file.error, { input, schema: stackFile });
  const { strategy = 'oneForOne', env = {} } = file.data ?? {};
  const restarts = strategy !== 'oneForOne';
  const checked = Object.entries(input['processes']).map(([name, section]) =>
    checkProcess(name, { section, env, directory, restarts }),
  );
  const inner = checked.flatMap((each) => (each.ok ? [] : each.problems));
  const processes = Object.fromEntries(checked.flatMap((each) => (each.ok ? [each.value] : [])));
  const found = [...outer, ...inner];
  const problems = found.length > 0 ? found : checkOrder(processes);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { strategy, processes } };
}

function checkProcess(
  name: string,
  {
    section,
    env,
    directory,
    restarts,
  }: { section: unknown; env: Section; directory: string; restarts: boolean },
): Checked<readonly [string, GroupProcessSpec]> {
  const input = expand(section);
  const refuse = (problems: readonly Problem[]) => ({
    ok: false as const,
    problems: problems.map(({ path, text }) => ({
      path: ['processes', name, ...path],
      text: `in "${name}", ${text}`,
    })),
  });
  const parsed = processSection.safeParse(input);
  if (!parsed.success) return refuse(describeProblems(parsed.error, { input, schema: processSection }));
  if (!('command' in input)) {
    return refuse([{ path: [], text: '"command" is missing; expected text for the shell or [program, …].' }]);
  }
  const { envFile = [], ...options } = fromFileSection(input, processShape);
  const files = readEnvFiles(envFile as readonly string[], directory);
  if (!files.ok) return refuse(files.problems);
  try {
    return { ok: true, value: [name, toSpec(options, { env: { ...env, ...files.value }, restarts })] };
  } catch (error) {
    if (error instanceof TroupeError) return refuse([{ path: ['ready', 'line'], text: error.message }]);
    throw error;
  }
}

/** Reads `NAME=value` lines; the last file wins for each name. */
function readEnvFiles(files: readonly string[], directory: string): Checked<Section> {
  const variables: Record<string, unknown> = {};
  for (const [index, file] of files.entries()) {
    try {
      Object.assign(variables, parseEnv(readFileSync(resolve(directory, file), 'utf8')));
    } catch (error) {
      const { code } = toError(error) as NodeJS.ErrnoException;
      const why = code === 'ENOENT' ? 'there is no such file' : (toErrnoText({ code }) ?? toErrorText(error));
      const path = files.length === 1 ? ['env_file'] : ['env_file', index];
      return { ok: false, problems: [{ path, text: `"env_file" names ${quote(file)}: ${why}.` }] };
    }
  }
  return { ok: true, value: variables };
}

/** Checks that the dependencies have an order. */
function checkOrder(specs: GroupOptions['processes']): readonly Problem[] {
  try {
    const needs = Object.entries(specs).map(
      ([name, { dependsOn }]) => [name, [...toDependencies(dependsOn).keys()]] as const,
    );
    startOrder(new Map(needs));
    return [];
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const [, name = ''] = /^startGroup: "processes\.(.*?)\.dependsOn"/.exec(error.message) ?? [];
    const text = error.message.replace('startGroup: ', '').replaceAll('dependsOn', 'depends_on');
    return [{ path: name === '' ? ['processes'] : ['processes', name, 'depends_on'], text }];
  }
}

/** Expands short forms: text is a command, `restart: always` a policy, one name a list, `int` SIGINT. */
function expand(section: unknown): Section {
  if (typeof section === 'string' || Array.isArray(section)) return expand({ command: section });
  const input = dropEmpty(isObject(section) ? section : {});
  const { restart, depends_on: dependsOn, command, env_file: envFile, stop_signal: stopSignal } = input;
  return {
    ...input,
    ...(Array.isArray(command) && {
      command: command.map((word) => (typeof word === 'number' ? String(word) : word)),
    }),
    ...(typeof restart === 'string' && { restart: { policy: restart } }),
    ...(typeof dependsOn === 'string' && { depends_on: [dependsOn] }),
    ...(typeof envFile === 'string' && { env_file: [envFile] }),
    ...(typeof stopSignal === 'string' && {
      stop_signal: `SIG${stopSignal.toUpperCase().replace(/^SIG/, '')}`,
    }),
  };
}

/** `restarts`: the strategy of the file asks for restarts, so that a group's own default holds. Otherwise none is made unasked. */
function toSpec(
  section: Section,
  { env: commonEnv, restarts }: { readonly env: Section; readonly restarts: boolean },
): GroupProcessSpec {
  const { ready, restart, env, ...rest } = section as {
    ready?: { line?: string };
    restart?: { policy?: (typeof restartWords)[number] };
    env?: Section;
  };
  const policy = restart?.policy;
  return {
    ...rest,
    env: toText({ ...commonEnv, ...env }),
    ...(ready !== undefined && {
      ready: { ...ready, ...(ready.line !== undefined && { line: parsePattern(ready.line) }) },
    }),
    ...(restart === undefined && !restarts && { restart: { policy: 'temporary' } }),
    ...(restart !== undefined && {
      restart: { ...restart, ...(policy !== undefined && { policy: restartPolicies[policy] }) },
    }),
  } as unknown as GroupProcessSpec;
}

function toText(values: Section): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}

/** Drops `null`, which YAML yields for a section with nothing but comments. */
function dropEmpty(section: Section): Section {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null));
}

function isObject(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
