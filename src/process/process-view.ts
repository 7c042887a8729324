import type {
  EndReason,
  FinalStatus,
  HeldBy,
  ProcessEnd,
  TreeMember,
} from '../../machines/process/context.ts';
import { isFinal, type LifeView } from '../../machines/process/view.ts';
import type { AppliedLimits } from '../config/resource-limits.ts';
import type { ProgressView } from '../output/progress.ts';
import type { ProcessMode } from '../spawn/backend.ts';
import type { Command } from './command.ts';

export type { ProgressView };

export type ProcessKind = 'tool' | 'agent' | 'service';

/**
 * Lifetime of a process. `session`: it ends with its owner. `parent`: the owner above inherits it. `persistent`: it outlives its owner and its
 * supervisor, and the next supervisor of the state directory adopts it.
 */
export type ProcessLifetime = 'session' | 'parent' | 'persistent';

/** Figures of the output of a process. */
export interface OutputView {
  readonly bytes: number;
  /**
   * Number of complete lines; `null` while not all are counted. In a log that the process writes itself a few MiB are counted with each view,
   * and lines lost before are never counted.
   */
  readonly lines: number | null;
  /** Bytes no longer in memory; the log file may have them. In a log that the process writes itself: bytes no longer in the log. */
  readonly droppedBytes: number;
  /** Milliseconds since the epoch; `null` before the first byte. */
  readonly lastOutputAt: number | null;
  /** Path; `null` where no log file is kept. */
  readonly logFile: string | null;
  /** Says what no longer works; `null` while all is well. */
  readonly degraded: string | null;
}

/** Readiness of a process. `undeclared` where no readiness was configured. */
export type ReadyView =
  | { readonly state: 'undeclared' }
  | { readonly state: 'waiting' }
  | { readonly state: 'ready'; readonly afterMs: number }
  | { readonly state: 'failed'; readonly why: string };

/** Outcome of a request for a terminal. */
export type TerminalView =
  | {
      readonly type: 'terminal';
      readonly columns: number;
      readonly rows: number;
      /** Program and arguments that attach a person to it; `null` where it cannot be reached from outside. */
      readonly attach: readonly string[] | null;
      /** Sentence that says why it is of this kind. */
      readonly because: string;
    }
  /** No terminal was available: the process runs on pipes. */
  | { readonly type: 'none'; readonly because: string };

/** Input that a process waits for. */
export interface AwaitedInput {
  /** `line`: until Enter. `secret`: a line, and what is typed does not show. `key`: each key counts. */
  readonly kind: 'line' | 'secret' | 'key';
  /** `known`: by the state of the system. `hint`: by what the process printed last. */
  readonly certainty: 'known' | 'hint';
  /** The unfinished line that the process printed last; `null` where there is none. */
  readonly prompt: string | null;
  /** Time at which it was noticed, in milliseconds since the epoch. */
  readonly since: number;
}

/** Facts of a process that are decided before it starts. Only the owner can change. */
export interface ProcessDescription {
  readonly id: string;
  readonly kind: ProcessKind;
  readonly command: Command;
  /** The command as a line for a POSIX shell, without secrets. */
  readonly commandLine: string;
  readonly cwd: string;
  readonly label: string | null;
  readonly owner: string;
  readonly lifetime: ProcessLifetime;
  readonly tool: string | null;
  /** Id of the tool call that started it; `null` where none did. */
  readonly callId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Reason why the process runs in the foreground or in the background. */
  readonly executionMode: string;
  /** Pool that runs it, such as `pool:gpu`; `null` for this machine. Pids and paths are then of another one. */
  readonly host: string | null;
  /** Limits on what it may use; `null` without any. */
  readonly resourceLimits: AppliedLimits | null;
}

/** Facts of a process that every state shows. */
export interface ProcessFacts extends ProcessDescription {
  readonly mode: ProcessMode;
  /** 1 for the first start. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly output: OutputView;
  /** `null` where no terminal was requested. */
  readonly terminal: TerminalView | null;
  /** Progress that the process reports; `null` where it reports none, and after its end. */
  readonly progress: ProgressView | null;
  /** True if the process has a terminal or an open stdin pipe. */
  readonly takesInput: boolean;
  /** `null` where it waits for no input, or where that cannot be known. */
  readonly awaitsInput: AwaitedInput | null;
}

/** Facts of a process that may be paused. */
interface Pausable {
  /** Time since which all its members are halted, in milliseconds since the epoch; `null` while it runs. Its time limits continue. */
  readonly pausedAt: number | null;
}

interface Started {
  /** `null` for work that has no operating-system process. */
  readonly pid: number | null;
  readonly pgid: number | null;
  /**
   * Mechanism that holds its processes together. `cgroup`: every descendant is known, unless it moves itself to another cgroup. `lineage`: a
   * mark in the environment, with parents, groups and sessions; a descendant that drops all of them is lost. `null` for work without an
   * operating-system process.
   */
  readonly held: HeldBy | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly runtimeMs: number;
  /** Time at which a limit ends the process, in milliseconds since the epoch; `null` where none will. Changed limits move it. */
  readonly endsAt: number | null;
  readonly restarts: number;
  readonly ready: ReadyView;
}

/** State of a process at one moment, as plain data that can be serialized. */
export type ProcessView = ProcessFacts &
  (
    | { readonly status: 'pending'; readonly queued: boolean }
    | ({ readonly status: 'running' } & Started & Pausable)
    | ({ readonly status: 'backgrounded'; readonly backgroundedAt: number } & Started & Pausable)
    | ({
        readonly status: 'stopping';
        readonly survivors: readonly TreeMember[];
        /** A clause for each survivor of SIGKILL that says why it is alive; `null` while there are none. */
        readonly because: string | null;
      } & Started)
    | {
        readonly status: 'restarting';
        readonly restarts: number;
        readonly nextStartAt: number;
        readonly reason: EndReason;
      }
    | FinalFacts
  );

export interface FinalFacts extends ProcessEnd {
  readonly status: FinalStatus;
  readonly pid: number | null;
  /** `null` when the process never started. */
  readonly startedAt: number | null;
  readonly backgroundedAt: number | null;
  readonly endedAt: number;
  /** Time from the start to the end; 0 when the process never started. */
  readonly runtimeMs: number;
  readonly restarts: number;
}

/** A process that has ended. */
export type FinalView = ProcessFacts & FinalFacts;

export function isEnded(view: ProcessView): view is FinalView {
  return isFinal(view.status);
}

/** Returns the time since which a process is paused; `null` where it is not. */
export function toPausedAt(view: ProcessView): number | null {
  // Absent in records of older versions.
  return ('pausedAt' in view ? view.pausedAt : null) ?? null;
}

/** Longest wait for a background start on another host, which may wait for a worker there as long as it likes. */
export const REMOTE_START_MS = 1_000;

/** Returns a clause that says why a start on another host waits. */
export function describeUnstarted(host: string): string {
  return `no worker of ${host} has started it`;
}

/** Returns the pid of the leader on this machine; `null` before its start, without an operating-system process, and on another host. */
export function toLocalPid({
  host,
  view,
}: {
  readonly host: string | null;
  readonly view: ProcessView | LifeView;
}): number | null {
  return host === null && 'pid' in view ? view.pid : null;
}

/** Returns whether the process, a leftover of it or a suspect is alive. */
export function hasLiveMembers(view: ProcessView): boolean {
  return !('endedAt' in view) || view.leftovers.length > 0 || view.suspects.length > 0;
}

const described = toNames<ProcessDescription>({
  ...{ id: 0, kind: 0, command: 0, commandLine: 0, cwd: 0, label: 0, owner: 0, lifetime: 0 },
  ...{ tool: 0, callId: 0, metadata: 0, executionMode: 0, host: 0, resourceLimits: 0 },
});

const shown = toNames<Omit<ProcessFacts, keyof ProcessDescription>>({
  ...{
    mode: 0,
    attempt: 0,
    createdAt: 0,
    output: 0,
    terminal: 0,
    progress: 0,
    takesInput: 0,
    awaitsInput: 0,
  },
});

/** Picks the description of a process from a larger object. */
export function toDescription(from: ProcessDescription): ProcessDescription {
  return pick(from, described);
}

/** Returns the part of a view that is the same in any state. */
export function toFacts(view: ProcessFacts): ProcessFacts {
  return { ...pick(view, described), ...pick(view, shown) };
}

function toNames<Part>(names: Readonly<Record<keyof Part, 0>>): readonly (keyof Part)[] {
  return Object.keys(names) as (keyof Part)[];
}

function pick<Part extends object>(from: Part, names: readonly (keyof Part)[]): Part {
  const part: Partial<Part> = {};
  for (const name of names) part[name] = from[name];
  return part as Part;
}
