import type {
  ProcessSignal,
  SentSignal,
  SignalTarget,
  TreeMember,
} from '../../../machines/process/context.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import { toSignalNumber } from '../../config/signal-name.ts';
import type { ProcessIdentity } from './identity.ts';
import { createMemberLookup, type MemberLookup } from './member-lookup.ts';
import { createTreePause, type TreePause } from './pause-tree.ts';
import type { IsForeign, ProcessEntry, ProcessTable } from './process-table.ts';
import { groupExists, type SendSignal, sendToMembers } from './send-signal.ts';
import { createTreeSurvey, type TreeSurvey } from './survey-tree.ts';
import { createTreeSignals } from './tree-signals.ts';
import { type LivenessWatch, watchLiveness } from './watch-liveness.ts';

interface ProcessTreeOptions {
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Tells whether a pid leads another tree of this program whose exit was not collected yet. */
  readonly isForeign?: IsForeign;
  /** Hides secrets in a command line. Default: nothing is hidden. */
  readonly redact?: (commandLine: string) => string;
  /** Called when the process table could not be read; the tree is looked at again later. */
  readonly reportError?: (error: unknown) => void;
  /** Directory in which the leader was started. Default: unknown. */
  readonly cwd?: string;
  /** kill(2), as `process.kill`. */
  readonly send?: SendSignal;
}

/** Leader and all processes that descend from it, for as long as one of them lives. */
export interface ProcessTree
  extends Pick<TreePause, 'pause' | 'resume'>,
    Pick<TreeSurvey, 'survey' | 'suspects'>,
    Pick<MemberLookup, 'sample'> {
  /**
   * Sends `signal` once to every member so that it ends, and continues halted ones; resolves when it is sent. Members that `watch` finds
   * later get it then. Processes that have lost every tie to the tree, or whose pid was reused, get nothing. Never rejects.
   */
  end(signal: ProcessSignal): Promise<void>;
  /** Sends a signal once to the members that live now, or to the leader alone, and returns what was sent. */
  signal(signal: ProcessSignal, to: SignalTarget): Promise<readonly SentSignal[]>;
  /**
   * Looks until no member is alive, and then calls `onGone` once. `onAliveChanged` gets the living members, the leader among them,
   * at the first look and after each change; `onSent` gets each signal of `end` that reached a member for the first time.
   */
  watch(listener: TreeListener): Cancel;
  /** Looks at once instead of at the next turn of `watch`. */
  recheck(): void;
  /** Notes that the leader's exit was collected: its pid may be reused from now on. */
  leaderExited(): void;
}

interface TreeListener {
  /** `ended`: members beside the leader that were signalled and are now dead. */
  onGone(ended: readonly TreeMember[]): void;
  onAliveChanged(alive: readonly TreeMember[]): void;
  onSent?(sent: SentSignal): void;
}

export function createProcessTree(options: ProcessTreeOptions): ProcessTree {
  const { identity, table, clock, isForeign } = options;
  const send: SendSignal = options.send ?? sendBySystem;
  const reportError = options.reportError ?? (() => {});
  const watches = new Map<LivenessWatch, TreeListener>();
  const lookup = createMemberLookup({ identity, table, clock, isForeign, describe });
  const { isLeader } = lookup;
  const cgroup = identity.cgroup ?? null;
  const halting = createTreePause({ cgroup, find: lookup.find, table, send, clock });
  const signals = createTreeSignals({
    ...{ cgroup, table, send, isHalted: halting.isHalted, isLeader },
    toMember: (entry) => lookup.knownAs(entry) ?? toMember(entry),
    onSent: (sent) => {
      for (const listener of watches.values()) listener.onSent?.(sent);
    },
  });
  const surveying = createTreeSurvey({
    ...{ lookup, table, clock, reportError, describe, toMember },
    cwd: options.cwd ?? null,
  });

  function toMember({ pid, pgid, startedAt, command }: ProcessEntry): TreeMember {
    return { pid, pgid, startedAt, command: options.redact?.(command) ?? command };
  }

  /** Describes a member. A dying process has no command line any more, so it keeps the one that was seen before. */
  function describe(entry: ProcessEntry): TreeMember {
    return (signals.last() !== null && lookup.knownAs(entry)) || toMember(entry);
  }

  async function end(name: ProcessSignal): Promise<void> {
    halting.cancel();
    signals.begin(name);
    await sendToFound().catch(reportError);
    recheck();
  }

  /** Searches for the members, sends them the signal of `end` if they did not get it yet, and returns them. */
  async function sendToFound(): Promise<readonly ProcessEntry[]> {
    const found = await lookup.find();
    surveying.noteSearch(found);
    await signals.sendTo(found);
    return found.members;
  }

  async function signal(name: ProcessSignal, to: SignalTarget): Promise<readonly SentSignal[]> {
    const { members, groups } = await lookup.find();
    return to === 'leader'
      ? sendToMembers({ table, send, signal: name, targets: members.filter(isLeader), groups: new Set() })
      : sendToMembers({ table, send, signal: name, targets: members, groups });
  }

  function recheck(): void {
    for (const watch of watches.keys()) watch.checkNow();
  }

  function watch(listener: TreeListener): Cancel {
    const watching = watchLiveness(
      {
        isKnownMemberAlive: lookup.isKnownMemberAlive,
        isAnyMemberAlive: async () => (await sendToFound()).length > 0,
        alive: lookup.known,
      },
      {
        clock,
        reportError,
        onAlive: (alive) => listener.onAliveChanged(alive),
        onGone: () => {
          watches.delete(watching);
          listener.onGone(signals.signalled());
        },
      },
    );
    watches.set(watching, listener);
    return () => {
      watches.delete(watching);
      watching.cancel();
    };
  }

  return {
    survey: surveying.survey,
    suspects: surveying.suspects,
    sample: lookup.sample,
    end,
    signal,
    pause: halting.pause,
    resume: halting.resume,
    watch,
    recheck,
    leaderExited: () => {
      surveying.leaderExited();
      lookup.leaderExited(groupExists(send, identity.pgid));
      // Members known now prove later that the group is ours; a daemon may overwrite its environment soon.
      void lookup.find().catch(reportError);
    },
  };
}

/** Sends a signal by kill(2). Real-time signals have no name in Node. */
function sendBySystem(target: number, signal: ProcessSignal | 0): void {
  process.kill(target, signal === 0 ? 0 : (toSignalNumber(signal) ?? (signal as NodeJS.Signals)));
}
