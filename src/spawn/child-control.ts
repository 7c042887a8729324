import type { ProcessSignal } from '../../machines/process/context.ts';
import type { BackendCommand } from '../../machines/process/events.ts';
import { redactText } from '../output/redact-text.ts';
import type { BackendPort } from './backend.ts';
import type { ProcessIdentity } from './tree/identity.ts';
import type { ProcessTable } from './tree/process-table.ts';
import { createProcessTree, type ProcessTree } from './tree/process-tree.ts';
import type { TreeRegistry } from './tree/tree-registry.ts';
import { createTreeCommands, type TerminalPort, type TreeInput } from './tree-commands.ts';

/** Carries out what a process orders of its child. */
export interface ChildControl {
  obey(command: BackendCommand): void;
  leaderExited(): void;
  /** Ends timers and watches; the child is left alone. */
  release(): void;
}

/** What the children of one supervisor share. */
export interface ChildWorld {
  readonly table: ProcessTable;
  readonly trees: TreeRegistry;
  /** Pids of children that were started and whose exit was not seen yet. */
  readonly leaders: ReadonlySet<number>;
  readonly reportError: (error: unknown) => void;
}

export function createChildControl(
  pid: number,
  wiring: {
    readonly port: BackendPort;
    readonly world: ChildWorld;
    /** `null` where it cannot be told from others. Asked again as long as it has not exited. */
    readonly identifyLeader: (hasExited: () => boolean) => Promise<ProcessIdentity | null>;
    readonly input: TreeInput;
    readonly terminal?: TerminalPort;
  },
): ChildControl {
  const { port, input, terminal } = wiring;
  const { table, trees, leaders, reportError } = wiring.world;
  const { request, clock } = port;
  let exited = false;
  /** A signal went to the group alone, as the tree is not known. */
  let groupWasSignalled = false;

  // The pid is the child's until its exit is collected, which takes a later turn of the event loop.
  let tree = findTree();

  /** `null` where the leader cannot be told from others. Never rejects. */
  async function findTree(): Promise<ProcessTree | null> {
    try {
      const identity = await wiring.identifyLeader(() => exited);
      if (identity === null) return null;
      const isStranger = (other: number) => other !== pid && leaders.has(other);
      const redact = (text: string) => redactText(text, request.secrets);
      const created = createProcessTree({ identity, table, clock, isStranger, redact, reportError });
      trees.add(request.id, { tree: created, identity });
      if (exited) created.leaderExited();
      return created;
    } catch (error) {
      reportError(error);
      return null;
    }
  }

  /** What kept it from being found may be over, such as too many open files: until the exit the pid is the child's. */
  async function findTreeAgain(): Promise<ProcessTree | null> {
    const before = tree;
    if ((await before) === null && !exited && tree === before) tree = findTree();
    return tree;
  }

  /** The child leads a group of its own, which is ours until its exit is collected. Then nobody is known to be alive. */
  function signalGroup(signal: ProcessSignal): void {
    if (exited) return port.tell({ type: 'tree.gone', ended: [] });
    groupWasSignalled = true;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      reportError(error);
    }
  }

  const commands = createTreeCommands({
    port,
    trees,
    findTree: findTreeAgain,
    signalUnknown: signalGroup,
    hasExited: () => exited,
    input,
    ...(terminal !== undefined && { terminal }),
  });

  return {
    obey: commands.obey,
    leaderExited: () => {
      exited = true;
      void tree.then((found) => {
        found?.leaderExited();
        found?.recheck();
        if (found === null && groupWasSignalled) port.tell({ type: 'tree.gone', ended: [] });
      });
    },
    release: commands.release,
  };
}
