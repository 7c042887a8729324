import type { ExitStatus } from '../../../machines/process/context.ts';
import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { BackendPort } from '../backend.ts';
import { toCookie } from '../environment.ts';
import { toExitFact } from '../exit-fact.ts';
import type { ProcessEntry } from '../tree/process-table.ts';
import type { ProcessTree } from '../tree/process-tree.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import { createTreeCommands, registerTree, type TerminalPort, type TreeInput } from '../tree-commands.ts';
import { withoutLauncher } from './find-leader.ts';
import { type NamedProcess, readLastLineAt } from './status-file.ts';

/** Executes the commands of a process on a leader that need not be a child of this program. */
export interface LeaderControl {
  execute(command: BackendCommand): void;
  /** Names the leader. Must be called once, before `exited` or `lost`. */
  setLeader(launch: {
    leader: NamedProcess & { readonly sid?: number; readonly pgid?: number };
    launcher: number | null;
  }): Promise<void>;
  readonly hasLeader: boolean;
  /** Declares that no leader will appear. */
  setNoLeader(): void;
  /** Reports the exit of the leader. `justNow`: its pid cannot be reused yet. `longAgo`: the time of the exit is that of the status file. */
  exited(exit: ExitStatus, when: 'justNow' | 'longAgo'): void;
  /** Reports that the leader has ended and nothing recorded how. */
  lost(why: string): void;
  /** Cancels timers and watches without touching processes. */
  detach(): void;
}

/** Interval between looks at leftovers of the tree: only their end says that no more output can come. */
const leftoverPollMs = 1_000;

export function createLeaderControl(
  { port, deps }: { port: BackendPort; deps: TreeDeps },
  options: {
    input: TreeInput;
    /** Cgroup of the attempt; `null` without one. */
    cgroup: string | null;
    terminal?: TerminalPort;
    /** Called, perhaps repeatedly, when the tree is empty. A caller that sets it reports `output.ended` itself. */
    onTreeEmpty?: () => void;
    isOutputComplete?: () => boolean;
  },
): LeaderControl {
  const { request, clock } = port;
  const { input, cgroup, terminal, onTreeEmpty, isOutputComplete } = options;
  const found = Promise.withResolvers<ProcessTree | null>();
  const cancels = new Set<Cancel>();
  let hasExited = false;
  let hasOutputEnded = false;
  let isDetached = false;
  let hasLeader = false;

  /** Ends the output once the tree is empty: which processes hold the log cannot be known, but only members of the tree could. */
  function endOutput(): void {
    if (onTreeEmpty !== undefined) return onTreeEmpty();
    if (hasOutputEnded) return;
    hasOutputEnded = true;
    port.tell({ type: 'output.ended' });
  }

  async function endOutputOnceEmpty(tree: ProcessTree | null): Promise<void> {
    if (tree === null || (await tree.survey()).length === 0) return endOutput();
    if (isDetached || hasOutputEnded) return;
    const again = () => void endOutputOnceEmpty(tree);
    cancels.add(clock.at(clock.nowMs() + leftoverPollMs, again, { idle: true }));
  }

  function leaderExited(when: 'justNow' | 'longAgo'): void {
    hasExited = true;
    void found.promise.then((tree) => {
      if (when === 'justNow') tree?.leaderExited();
      tree?.recheck();
      return endOutputOnceEmpty(tree);
    });
  }

  const commands = createTreeCommands({
    port,
    trees: deps.trees,
    findTree: () => found.promise,
    endWithoutTree: () => {
      port.tell({ type: 'tree.gone', ended: [] });
      return null;
    },
    hasExited: () => hasExited,
    onTreeEmpty: endOutput,
    input,
    ...(terminal !== undefined && { terminal }),
    ...(isOutputComplete !== undefined && { isOutputComplete }),
  });

  return {
    execute: commands.execute,
    setLeader: async ({ leader, launcher }) => {
      const { bootId, pidNamespace } = await deps.table.scope();
      const { pid, startedAt, pgid = pid, sid = pid } = leader;
      const identity = {
        pid,
        pgid,
        sid,
        startedAt,
        bootId,
        pidNamespace,
        cookie: toCookie(request.id),
        cgroup,
      };
      const tree = registerTree(identity, { port, deps, table: withoutLauncher(deps.table, launcher) });
      hasLeader = true;
      found.resolve(tree);
    },
    get hasLeader() {
      return hasLeader;
    },
    setNoLeader: () => found.resolve(null),
    exited: ({ code, signal }, when) => {
      const exitedAtMs = when === 'justNow' ? null : toExitTime(port);
      port.tell({ ...toExitFact({ code, signal }, { request, cgroup }), exitedAtMs });
      leaderExited(when);
    },
    lost: (why) => {
      port.tell({ type: 'process.lost', why });
      leaderExited('longAgo');
    },
    detach: () => {
      isDetached = true;
      commands.detach();
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

/** Returns the session of a leader. It leads one itself where `setsid` exists; elsewhere only the process table knows. */
export function sidOf(entry: ProcessEntry | null): { sid?: number } {
  return entry === null ? {} : { sid: entry.sid };
}

/** Returns the monotonic time of the last write to the status file; `null` if there is no file. */
function toExitTime({ request, clock }: BackendPort): number | null {
  const at = request.files === null ? null : readLastLineAt(request.files.status);
  return at === null ? null : clock.nowMs() - Math.max(0, clock.epochMs() - at);
}
