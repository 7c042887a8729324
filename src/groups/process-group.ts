import type { KillAnswer, ProcessHandle } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { RestartStrategy } from './restart-scope.ts';

/** Result of the start of one process of a group; a one-shot is `ready` once it has completed. */
export type MemberReadiness =
  | { readonly name: string; readonly state: 'ready' }
  /** Started or refused, and not ready. */
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
  /** Whether no survivors are known. */
  readonly ok: boolean;
  /** In the order of the stops, each after the proof of the one before. */
  readonly members: readonly { readonly name: string; readonly answer: KillAnswer }[];
  readonly message: string;
}

export interface GroupEnd {
  /** In start order; `end` is `null` for a process that was never started. */
  readonly members: readonly { readonly name: string; readonly end: FinalView | null }[];
  readonly message: string;
}

export interface GroupMemberView {
  readonly name: string;
  readonly dependsOn: readonly string[];
  /** `waiting`: for its dependencies. */
  readonly state: 'waiting' | 'started' | 'notStarted';
  /** Why it was not started. */
  readonly why: string | null;
  /** `null` until it is started. */
  readonly process: ProcessView | null;
}

/** The state of a group at one moment; plain data. */
export interface GroupView {
  readonly strategy: RestartStrategy;
  readonly state: 'starting' | 'up' | 'stopping' | 'ended';
  /** In start order. */
  readonly members: readonly GroupMemberView[];
  /** Actions of the group and their causes, oldest first; the newest 100. */
  readonly notes: readonly string[];
}

/**
 * Processes that belong together. Each is an ordinary process of its supervisor, which ends it at the shutdown like all others; the group
 * adds the order of starts and stops, and the restart strategy.
 */
export interface ProcessGroup {
  /** In start order. */
  readonly names: readonly string[];
  /** Returns `undefined` for an unknown name and for a process that was not started yet. */
  get(name: string): ProcessHandle | undefined;
  /** Resolves when each is ready, or will not be. Never rejects. */
  ready(): Promise<GroupReadiness>;
  /** Ends all in reverse start order, each proven gone before the next. Every call gets the same report. */
  stop(): Promise<GroupStopReport>;
  /** Resolves when none runs and none will be started. Never rejects. */
  readonly ended: Promise<GroupEnd>;
  view(): GroupView;
}
