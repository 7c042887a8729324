import type { KillAnswer, ProcessHandle } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { RestartStrategy } from './restart-scope.ts';

/** How the start of one process of a group came out; a one-shot is `ready` once it has completed. */
export type MemberReadiness =
  | { readonly name: string; readonly state: 'ready' }
  /** It was started, or could not be; why it is not ready. */
  | { readonly name: string; readonly state: 'failed'; readonly why: string }
  | { readonly name: string; readonly state: 'notStarted'; readonly why: string };

export interface GroupReadiness {
  /** Whether all are ready. */
  readonly ok: boolean;
  /** In start order. */
  readonly members: readonly MemberReadiness[];
  readonly message: string;
}

export interface GroupStopReport {
  /** Whether nothing is known to have survived. */
  readonly ok: boolean;
  /** In the order in which they were stopped, each after the proof for the one before. */
  readonly members: readonly { readonly name: string; readonly answer: KillAnswer }[];
  readonly message: string;
}

export interface GroupEnd {
  /** In start order; `null` for one that was never started. */
  readonly members: readonly { readonly name: string; readonly end: FinalView | null }[];
  readonly message: string;
}

export interface GroupMemberView {
  readonly name: string;
  readonly dependsOn: readonly string[];
  /** `waiting`: for those it depends on. */
  readonly state: 'waiting' | 'started' | 'notStarted';
  /** Why it was not started. */
  readonly why: string | null;
  /** `null` as long as it was not started. */
  readonly process: ProcessView | null;
}

/** A group as it is at one moment; plain data. */
export interface GroupView {
  readonly strategy: RestartStrategy;
  readonly state: 'starting' | 'up' | 'stopping' | 'ended';
  /** In start order. */
  readonly members: readonly GroupMemberView[];
  /** What the group did and why, in words, oldest first; the newest 100. */
  readonly notes: readonly string[];
}

/**
 * Processes that belong together. Each is an ordinary process of its supervisor, which ends it at the
 * shutdown like all others; the group adds the order of start and stop, and who else is restarted when one terminates.
 */
export interface ProcessGroup {
  /** In start order. */
  readonly names: readonly string[];
  /** `undefined` for an unknown name and for one that was not started yet. */
  get(name: string): ProcessHandle | undefined;
  /** Resolves when the start of each has come out one way or the other. Never rejects. */
  ready(): Promise<GroupReadiness>;
  /** Ends all in reverse start order, each proven gone before the next. Every call gets the same report. */
  stop(): Promise<GroupStopReport>;
  /** Resolves when none runs and none will be started. Never rejects. */
  readonly ended: Promise<GroupEnd>;
  view(): GroupView;
}
