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
  /** `true` if all members are ready. */
  readonly ok: boolean;
  /** Members in start order. */
  readonly members: readonly MemberReadiness[];
  readonly message: string;
}

export interface GroupStopReport {
  /** `true` if no survivors are known. */
  readonly ok: boolean;
  /** Members in stop order; each was stopped after the one before was proven gone. */
  readonly members: readonly { readonly name: string; readonly answer: KillAnswer }[];
  readonly message: string;
}

export interface GroupEnd {
  /** Members in start order; `end` is `null` for a process that was never started. */
  readonly members: readonly { readonly name: string; readonly end: FinalView | null }[];
  readonly message: string;
}

export interface GroupMemberView {
  readonly name: string;
  readonly dependsOn: readonly string[];
  /** `waiting`: for its dependencies. */
  readonly state: 'waiting' | 'started' | 'notStarted';
  /** Reason why the member was not started. */
  readonly why: string | null;
  /** `null` until it is started. */
  readonly process: ProcessView | null;
}

/** The state of a group at one moment; plain data. */
export interface GroupView {
  readonly strategy: RestartStrategy;
  readonly state: 'starting' | 'up' | 'stopping' | 'ended';
  /** Members in start order. */
  readonly members: readonly GroupMemberView[];
  /** Actions of the group and their causes, oldest first; the newest 100. */
  readonly notes: readonly string[];
}

/**
 * Processes that belong together. Each is an ordinary process of its supervisor, which ends it at the shutdown like all others; the group
 * adds the order of starts and stops, and the restart strategy.
 */
export interface ProcessGroup {
  /** Names of the members in start order. */
  readonly names: readonly string[];
  /** Returns `undefined` for an unknown name and for a process that was not started yet. */
  get(name: string): ProcessHandle | undefined;
  /** Resolves when each member is ready or cannot become ready. Never rejects. */
  ready(): Promise<GroupReadiness>;
  /** Ends all members in reverse start order, each proven gone before the next. Every call returns the same report. */
  stop(): Promise<GroupStopReport>;
  /** Resolves when no member runs or will be started. Never rejects. */
  readonly ended: Promise<GroupEnd>;
  view(): GroupView;
}
