import type { TreeMember } from '../../../machines/process/context.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Members } from './find-members.ts';
import type { MemberLookup } from './member-lookup.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** Pauses between searches for new leftovers while a known one is alive. Searches fall on multiples of them, so that many trees share one. */
const firstSearchPauseMs = 2_000;
const maxSearchPauseMs = 64_000;

/** Looks for the members of a tree beside its leader, and for processes that may belong to it. */
export interface TreeSurvey {
  /**
   * Returns the living members beside the leader. After the leader's exit, a new member may be missing for up to a minute while a known one
   * lives.
   */
  survey(): Promise<readonly TreeMember[]>;
  /** Returns processes that began after the leader, at the last look, and may belong to it without proof. They are never signalled. */
  suspects(): Promise<readonly TreeMember[]>;
  /** Notes the result of a search; the next call of `suspects` judges its unclaimed processes. */
  noteSearch(found: Members): void;
  /** Notes that members found from now on are leftovers. */
  leaderExited(): void;
}

export function createTreeSurvey(options: {
  readonly lookup: MemberLookup;
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly reportError: (error: unknown) => void;
  readonly describe: (entry: ProcessEntry) => TreeMember;
  readonly toMember: (entry: ProcessEntry) => TreeMember;
  readonly cwd: string | null;
}): TreeSurvey {
  const { lookup, table, clock, reportError, describe, toMember, cwd } = options;
  let hasLeaderExited = false;
  let search = { atMs: Number.NEGATIVE_INFINITY, pauseMs: firstSearchPauseMs };
  let unclaimed: readonly ProcessEntry[] = [];
  /** Suspects of the last search; `null` until they are asked for. */
  let suspected: readonly TreeMember[] | null = null;

  async function survey(): Promise<readonly TreeMember[]> {
    try {
      if (clock.nowMs() < search.atMs && (await lookup.isKnownMemberAlive())) return knownBesideLeader();
      const found = await lookup.find();
      noteSearch(found);
      const others = found.members.filter((entry) => !lookup.isLeader(entry)).map(describe);
      if (hasLeaderExited && others.length > 0) postponeSearch();
      return others;
    } catch (error) {
      reportError(error);
      return knownBesideLeader();
    }
  }

  function noteSearch(found: Members): void {
    unclaimed = found.unclaimed;
    suspected = null;
  }

  function knownBesideLeader(): readonly TreeMember[] {
    return lookup.known().filter((member) => !lookup.isLeader(member));
  }

  /** Postpones the next search for new leftovers, each time for longer: surveys repeat until no leftover is alive. */
  function postponeSearch(): void {
    search = {
      atMs: Math.ceil((clock.nowMs() + search.pauseMs) / search.pauseMs) * search.pauseMs,
      pauseMs: Math.min(search.pauseMs * 2, maxSearchPauseMs),
    };
  }

  async function suspects(): Promise<readonly TreeMember[]> {
    try {
      suspected ??= (await table.filterUntraceable(unclaimed, cwd)).map(toMember);
      return suspected;
    } catch (error) {
      reportError(error);
      return [];
    }
  }

  return {
    survey,
    suspects,
    noteSearch,
    leaderExited: () => {
      hasLeaderExited = true;
    },
  };
}
