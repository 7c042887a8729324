import type {
  EndReason,
  ExitStatus,
  FinalStatus,
  KillReceipt,
  TreeMember,
} from '../../machines/process/context.ts';
import type { ProgressView } from '../output/progress.ts';
import type { ProcessMode } from '../spawn/backend.ts';
import type { Command } from './command.ts';

export type { ProgressView };

export type ProcessKind = 'tool' | 'agent' | 'service';

/**
 * Who outlives whom. `session`: it ends with its owner. `parent`: the owner above inherits it. `persistent`: it outlives its owner and
 * its supervisor, and the next supervisor of the state directory takes it over.
 */
export type ProcessLifetime = 'session' | 'parent' | 'persistent';

/** What a process has printed. */
export interface OutputView {
  readonly bytes: number;
  /**
   * Complete lines; `null` while not all are counted. Of a process that writes its log itself they are counted a few MiB with each
   * view, and what its log lost before is never counted.
   */
  readonly lines: number | null;
  /** No longer in memory; the log file may have them. Of a process that writes its log itself: no longer in the log. */
  readonly droppedBytes: number;
  /** Milliseconds since the epoch; `null` before the first byte. */
  readonly lastOutputAt: number | null;
  /** `null` where none is kept. */
  readonly logFile: string | null;
  /** What does not work any more, in words; `null` while all is well. */
  readonly degraded: string | null;
}

/** Whether a process can be used. `undeclared` where nothing was said of it. */
export type ReadyView =
  | { readonly state: 'undeclared' }
  | { readonly state: 'waiting' }
  | { readonly state: 'ready'; readonly afterMs: number }
  | { readonly state: 'failed'; readonly why: string };

/** What became of the wish for a terminal. */
export type TerminalView =
  | {
      readonly type: 'terminal';
      readonly columns: number;
      readonly rows: number;
      /** Program and arguments with which a person sees it and types; `null` where nobody can reach it from outside. */
      readonly attach: readonly string[] | null;
      /** Why it is this kind, as a sentence. */
      readonly because: string;
    }
  /** It was asked for and could not be had: the process runs on pipes. */
  | { readonly type: 'none'; readonly because: string };

/** It waits for somebody to type. */
export interface AwaitedInput {
  /** `line`: until Enter. `secret`: a line, and what is typed does not show. `key`: each key counts. */
  readonly kind: 'line' | 'secret' | 'key';
  /** `known`: by the state of the system. `hint`: by what it has printed last. */
  readonly certainty: 'known' | 'hint';
  /** What it has printed last, on a line that it did not end; `null` where it asks without words. */
  readonly prompt: string | null;
  /** Milliseconds since the epoch: when it was noticed. */
  readonly since: number;
}

interface Facts {
  readonly id: string;
  readonly kind: ProcessKind;
  readonly command: Command;
  /** The command as one would type it, secrets left out. */
  readonly commandLine: string;
  readonly cwd: string;
  readonly label: string | null;
  readonly owner: string;
  readonly lifetime: ProcessLifetime;
  readonly tool: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly mode: ProcessMode;
  /** Why it runs in the foreground or in the background. */
  readonly executionMode: string;
  /** 1 for the first start. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly output: OutputView;
  /** `null` where no terminal was asked for. */
  readonly terminal: TerminalView | null;
  /** `null` where it says nothing of the kind, and after its end. */
  readonly progress: ProgressView | null;
  /** `null` where it does not, or where nobody can know. */
  readonly awaitsInput: AwaitedInput | null;
}

interface Started {
  /** `null` for work that has no operating-system process. */
  readonly pid: number | null;
  readonly pgid: number | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly runtimeMs: number;
  /** When a time limit ends it, in milliseconds since the epoch; `null` where none will. Changed limits move it. */
  readonly endsAt: number | null;
  readonly restarts: number;
  readonly ready: ReadyView;
}

/** A process as it is at one moment. Plain data: it can be kept, sent and written down. */
export type ProcessView = Facts &
  (
    | { readonly status: 'pending'; readonly queued: boolean }
    | ({ readonly status: 'running' } & Started)
    | ({ readonly status: 'backgrounded'; readonly backgroundedAt: number } & Started)
    | ({
        readonly status: 'stopping';
        readonly survivors: readonly TreeMember[];
        /** Why they are alive although SIGKILL was sent, as a clause for each; `null` while that is not so. */
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

export interface FinalFacts {
  readonly status: FinalStatus;
  readonly pid: number | null;
  /** `null` when it never started. */
  readonly startedAt: number | null;
  readonly backgroundedAt: number | null;
  readonly endedAt: number;
  /** From the start to the end; 0 when it never started. */
  readonly runtimeMs: number;
  readonly restarts: number;
  /** What the operating system reported, whatever the reason; `null` when it never started or nobody saw it. */
  readonly exit: ExitStatus | null;
  readonly reason: EndReason;
  /** Alive after the leader's natural end; still owned, and ended by a kill of this id. */
  readonly leftovers: readonly TreeMember[];
  /**
   * Perhaps its own, and alive: begun in its life, without a parent, and without a trace of who started them, as of a program that made
   * itself a daemon and overwrote its environment. They may be another's, so nothing here signals them. Linux only; empty elsewhere.
   */
  readonly suspects: readonly TreeMember[];
  readonly receipt: KillReceipt | null;
}

/** A process that has ended. */
export type FinalView = Facts & FinalFacts;

/** Whether a process has not ended, or has ended and something that it left behind, or perhaps did, is alive. */
export function hasLiveMembers(view: ProcessView): boolean {
  return !('endedAt' in view) || view.leftovers.length > 0 || view.suspects.length > 0;
}
