import type { ProcessSignal, SentSignal } from '../../machines/process/context.ts';
import type { BackendCommand } from '../../machines/process/events.ts';
import type { BackendPort } from './backend.ts';
import type { ProcessIdentity } from './tree/identity.ts';
import type { ProcessTree } from './tree/process-tree.ts';
import type { TreeDeps } from './tree/tree-registry.ts';
import { createTreeCommands, registerTree, type TerminalPort, type TreeInput } from './tree-commands.ts';

/** Executes the commands of a process on its child. */
interface ChildControl {
  execute(command: BackendCommand): void;
  leaderExited(): void;
  /** Cancels timers and watches without touching the child. */
  detach(): void;
}

/** Dependencies that the children of one supervisor share. */
export interface ChildDeps extends TreeDeps {
  /** Pids of children that were started and whose exit was not collected yet. */
  readonly leaders: Set<number>;
}

export function createChildControl(
  pid: number,
  options: {
    readonly port: BackendPort;
    readonly deps: ChildDeps;
    /** Resolves to `null` where the child cannot be told from others. Called again until the child has exited. */
    readonly identifyLeader: (hasExited: () => boolean) => Promise<ProcessIdentity | null>;
    readonly input: TreeInput;
    /** See `createTreeCommands`. */
    readonly onLeftovers: () => void;
    readonly terminal?: TerminalPort;
  },
): ChildControl {
  const { port, deps, input, terminal } = options;
  const { trees, leaders, reportError } = deps;
  let hasExited = false;
  /** A signal went to the group alone because the tree is unknown. */
  let groupWasSignalled = false;

  // The pid belongs to the child until its exit is collected, which takes a later turn of the event loop.
  let tree = findTree();

  /** Resolves to `null` where the leader cannot be told from others. Never rejects. */
  async function findTree(): Promise<ProcessTree | null> {
    try {
      const identity = await options.identifyLeader(() => hasExited);
      if (identity === null) return null;
      const isForeign = (other: number) => other !== pid && leaders.has(other);
      const found = registerTree(identity, { port, deps, isForeign });
      if (hasExited) found.leaderExited();
      return found;
    } catch (error) {
      reportError(error);
      return null;
    }
  }

  /** Repeats a failed search, for example after too many open files. The pid is the child's until its exit. */
  async function findTreeAgain(): Promise<ProcessTree | null> {
    const before = tree;
    if ((await before) === null && !hasExited && tree === before) tree = findTree();
    return tree;
  }

  /** Signals the child's own group, which is ours until the exit is collected. Afterwards no member is known to be alive. */
  function signalGroup(signal: ProcessSignal): SentSignal | null {
    if (hasExited) {
      port.tell({ type: 'tree.gone', ended: [] });
      return null;
    }
    groupWasSignalled = true;
    try {
      process.kill(-pid, signal);
      return { signal, via: 'group', pids: [pid] };
    } catch (error) {
      reportError(error);
      return null;
    }
  }

  const commands = createTreeCommands({
    port,
    trees,
    findTree: findTreeAgain,
    endWithoutTree: signalGroup,
    hasExited: () => hasExited,
    onLeftovers: options.onLeftovers,
    input,
    ...(terminal !== undefined && { terminal }),
  });

  return {
    execute: commands.execute,
    leaderExited: () => {
      hasExited = true;
      void tree.then((found) => {
        found?.leaderExited();
        found?.recheck();
        if (found === null && groupWasSignalled) port.tell({ type: 'tree.gone', ended: [] });
      });
    },
    detach: commands.detach,
  };
}
