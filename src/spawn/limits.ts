import { getPriority } from 'node:os';
import type { ExceededLimit, ExitStatus } from '../../machines/process/context.ts';
import type { ResourceLimits } from '../config/resource-limits.ts';
import type { SpawnRequest } from './backend.ts';
import type { Controller } from './cgroup/controllers.ts';
import { toJoinLine } from './cgroup/join-cgroup.ts';
import { findProgram } from './find-program.ts';
import { becomeAfter, quoteWord } from './launcher-shell.ts';
import { readProcText } from './tree/proc-entry.ts';

type Limits = NonNullable<SpawnRequest['limits']>;
type LimitKey = Exclude<keyof ResourceLimits, 'memoryBytes'>;

/** Limit that this machine cannot keep: `why` is a clause, `remedy` a sentence. */
export interface LimitObstacle {
  readonly option: keyof ResourceLimits;
  readonly why: string;
  readonly remedy: string;
}

/** Abilities of this program on which limits depend. */
export interface LimitPowers {
  readonly platform: NodeJS.Platform;
  /** Makes a controller available; see `Cgroups.enable`. */
  readonly enable: (controller: Controller) => string | null;
  /** Effective capabilities by their numbers, see capabilities(7). */
  readonly capabilities: ReadonlySet<number>;
  /** Hard limit of open files. */
  readonly maxOpenFiles: number;
  /** Lowest niceness that this program may take. */
  readonly minNice: number;
  readonly nice: number;
  readonly oomScoreAdj: number;
  readonly hasNiceProgram: boolean;
}

const CAP_SYS_NICE = 23;
const CAP_SYS_RESOURCE = 24;
const CAPABILITIES = 40;

/** Reads the powers of this program. */
export function readLimitPowers(enable: LimitPowers['enable']): LimitPowers {
  const bits = BigInt(
    `0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(readProcText('/proc/self/status') ?? '')?.[1] ?? '0'}`,
  );
  const numbers = Array.from({ length: CAPABILITIES }, (_, index) => index);
  const capabilities = new Set(numbers.filter((number) => (bits >> BigInt(number)) & 1n));
  const rows = readProcText('/proc/self/limits') ?? '';
  const hard = (name: string) => new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(rows)?.[1];
  const toNumber = (text: string | undefined) =>
    text === undefined || text === 'unlimited' ? Infinity : Number(text);
  const systemFiles = toNumber(readProcText('/proc/sys/fs/nr_open')?.trim());
  return {
    platform: process.platform,
    enable,
    capabilities,
    maxOpenFiles: capabilities.has(CAP_SYS_RESOURCE)
      ? systemFiles
      : Math.min(toNumber(hard('Max open files')), systemFiles),
    minNice: 20 - Math.max(0, Number(hard('Max nice priority') ?? 0)),
    nice: getPriority(),
    oomScoreAdj: Number(readProcText('/proc/self/oom_score_adj') ?? 0),
    hasNiceProgram: findNice() !== null,
  };
}

/** Decides how limits are kept, or returns the first that cannot be. */
export function planLimits(
  limits: ResourceLimits,
  { writesOwnLog, powers }: { readonly writesOwnLog: boolean; readonly powers: LimitPowers },
): Limits | LimitObstacle {
  for (const [option, find] of Object.entries(obstacles) as [LimitKey, (typeof obstacles)[LimitKey]][]) {
    const value = limits[option];
    if (value === undefined) continue;
    const obstacle = find(value, { writesOwnLog, powers });
    if (obstacle !== null) return { option, ...obstacle };
  }
  if (limits.memoryBytes === undefined) return limits;
  const why = powers.enable('memory');
  if (why === null) return { ...limits, memoryOf: 'tree' };
  if (powers.platform === 'linux') return { ...limits, memoryOf: 'process' };
  return { option: 'memoryBytes', why: `this system cannot limit memory (${why})`, remedy: 'Leave it out.' };
}

type FindObstacle = (
  value: number,
  place: { readonly writesOwnLog: boolean; readonly powers: LimitPowers },
) => Omit<LimitObstacle, 'option'> | null;

const delegated =
  'Run this program as root or in a cgroup of its own with delegated controllers (systemd-run --user --scope -p Delegate=yes …), or leave it out.';

const obstacles: Readonly<Record<LimitKey, FindObstacle>> = {
  processes: (_, { powers }) => needController('pids', powers),
  cpus: (_, { powers }) => needController('cpu', powers),
  openFiles: (value, { powers }) =>
    value <= powers.maxOpenFiles
      ? null
      : {
          why: `this program may have ${powers.maxOpenFiles} open files at most`,
          remedy: `Give at most ${powers.maxOpenFiles}, or raise the limit of this program (ulimit -Hn).`,
        },
  fileBytes: (_, { writesOwnLog }) =>
    writesOwnLog
      ? {
          why: 'a persistent command without a terminal writes its log itself, which would count as well',
          remedy: 'Use another "lifetime", "interactive", or leave it out.',
        }
      : null,
  nice: (value, { powers }) => {
    if (value < powers.nice && value < powers.minNice && !powers.capabilities.has(CAP_SYS_NICE))
      return {
        why: `this program has the niceness ${powers.nice} and may not lower it`,
        remedy: `Give at least ${Math.min(powers.nice, powers.minNice)}, or the right to raise priorities (CAP_SYS_NICE).`,
      };
    return powers.hasNiceProgram
      ? null
      : { why: 'the program "nice" is missing', remedy: 'Install coreutils, or leave it out.' };
  },
  oomScoreAdj: (value, { powers }) => {
    if (powers.platform !== 'linux') return { why: 'it exists only on Linux', remedy: 'Leave it out.' };
    return value >= powers.oomScoreAdj || powers.capabilities.has(CAP_SYS_RESOURCE)
      ? null
      : {
          why: `this program has ${powers.oomScoreAdj} and may not lower it`,
          remedy: `Give at least ${powers.oomScoreAdj}, or the right to lower it (CAP_SYS_RESOURCE).`,
        };
  },
};

function needController(controller: Controller, powers: LimitPowers): Omit<LimitObstacle, 'option'> | null {
  const why = powers.enable(controller);
  return why === null ? null : { why: `only cgroups limit it, and ${why}`, remedy: delegated };
}

/** Returns whether limits are kept by the cgroup of the attempt. */
export function needsCgroup(limits: Limits | null): boolean {
  return (
    limits !== null &&
    (limits.processes !== undefined || limits.cpus !== undefined || limits.memoryOf === 'tree')
  );
}

/**
 * Wraps a command in a shell that joins its cgroup and applies its limits. Returns the command itself where there is nothing to do, or an error where the cgroup that keeps a limit is missing.
 */
export function toLimited(
  command: readonly [file: string, ...args: readonly string[]],
  {
    limits,
    env,
    cgroup,
    joins,
  }: Pick<SpawnRequest, 'limits' | 'env'> & {
    readonly cgroup: string | null;
    /** Joins the cgroup; otherwise the caller does. */
    readonly joins: boolean;
  },
): readonly [file: string, ...args: readonly string[]] | Error {
  const isNeeded = needsCgroup(limits);
  if (isNeeded && cgroup === null)
    return new Error(
      'its cgroup, which keeps its limits, could not be made. Start it again, or without "resourceLimits"',
    );
  const lines = [
    ...(joins && cgroup !== null ? [toJoinLine(quoteWord(cgroup))] : []),
    ...(isNeeded
      ? [`test -d ${quoteWord(cgroup ?? '')} || ${failWith('its cgroup could not be joined')}`]
      : []),
    ...toLimitLines(limits),
  ];
  if (lines.length === 0 && limits?.nice === undefined) return command;
  return becomeAfter(lines, { command: [...toNice(limits), ...command], env });
}

/** Exit code of a command whose limits could not be set, as of env(1) for its own failure. */
const FAILED = 125;

function failWith(why: string): string {
  return `{ echo "troupe: ${why}, so it was not started" >&2; exit ${FAILED}; }`;
}

/** Unit of `ulimit -f` in POSIX mode. */
const BLOCK_BYTES = 512;

function toLimitLines(limits: Limits | null): readonly string[] {
  const { memoryBytes, memoryOf, openFiles, fileBytes, oomScoreAdj } = limits ?? {};
  const set = (option: keyof ResourceLimits, line: string) =>
    `{ ${line}; } 2>/dev/null || ${failWith(`the limit ${option} could not be set`)}`;
  return [
    ...(oomScoreAdj === undefined
      ? []
      : [set('oomScoreAdj', `echo ${oomScoreAdj} >/proc/self/oom_score_adj`)]),
    ...(memoryBytes === undefined || memoryOf !== 'process'
      ? []
      : [set('memoryBytes', `ulimit -d ${Math.floor(memoryBytes / 1024)}`)]),
    ...(fileBytes === undefined ? [] : [set('fileBytes', `ulimit -f ${Math.ceil(fileBytes / BLOCK_BYTES)}`)]),
    ...(openFiles === undefined ? [] : [set('openFiles', `ulimit -n ${openFiles}`)]),
  ];
}

const systemPath = '/usr/bin:/bin';

function findNice(): string | null {
  const found = findProgram('nice', { path: `${systemPath}:${process.env['PATH'] ?? ''}`, cwd: '/' });
  return found instanceof Error ? null : found;
}

function toNice(limits: Limits | null): readonly string[] {
  if (limits?.nice === undefined) return [];
  // nice(1) counts from the niceness of this program.
  return [findNice() ?? 'nice', '-n', `${limits.nice - getPriority()}`];
}

/** Returns the limit that ended a leader; `null` for any other end. */
export function toExceeded(
  { signal }: ExitStatus,
  { limits, oomKills }: { readonly limits: Limits | null; readonly oomKills: number },
): ExceededLimit | null {
  const { memoryBytes, memoryOf, fileBytes } = limits ?? {};
  if (signal === 'SIGKILL' && memoryBytes !== undefined && memoryOf === 'tree' && oomKills > 0)
    return { type: 'outOfMemory', limitBytes: memoryBytes, signal };
  if (signal === 'SIGXFSZ' && fileBytes !== undefined)
    return { type: 'fileTooLarge', limitBytes: fileBytes, signal };
  return null;
}
