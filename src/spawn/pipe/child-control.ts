import type { Writable } from 'node:stream';
import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { BackendCommand } from '../../../machines/process/events.ts';
import { redactText } from '../../output/redact-text.ts';
import type { BackendPort } from '../backend.ts';
import { identify } from '../tree/identity.ts';
import { createProcessTree, type ProcessTree } from '../tree/process-tree.ts';
import { createTreeCommands } from '../tree-commands.ts';
import { createInputWriter } from './input-writer.ts';
import type { PipeWorld, SpawnedChild } from './pipe-world.ts';

/** Carries out what a process orders of its child. */
export interface ChildControl {
  obey(command: BackendCommand): void;
  leaderExited(): void;
  /** Ends timers and watches; the child is left alone. */
  release(): void;
}

export function createChildControl(
  child: SpawnedChild,
  { port, world, stdin }: { port: BackendPort; world: PipeWorld; stdin: Writable | null },
): ChildControl {
  const { request, clock } = port;
  let exited = false;
  /** A signal went to the group alone, as the tree is not known. */
  let groupWasSignalled = false;

  // The pid is the child's until its exit is collected, which takes a later turn of the event loop.
  let tree = findTree();

  /** `null` where the leader cannot be told from others. Never rejects. */
  async function findTree(): Promise<ProcessTree | null> {
    const { table, leaders, reportError } = world;
    try {
      const identity = await identify(table, { pid: child.pid, id: request.id });
      if (identity === null) return null;
      const isStranger = (pid: number) => pid !== child.pid && leaders.has(pid);
      const redact = (text: string) => redactText(text, request.secrets);
      const created = createProcessTree({ identity, table, clock, isStranger, redact, reportError });
      world.trees.add(request.id, { tree: created, identity });
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
      process.kill(-child.pid, signal);
    } catch (error) {
      world.reportError(error);
    }
  }

  const commands = createTreeCommands({
    port,
    trees: world.trees,
    findTree: findTreeAgain,
    signalUnknown: signalGroup,
    hasExited: () => exited,
    input: stdin === null ? noInput : createInputWriter(stdin, clock),
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

const noInput = {
  code: 'noInput',
  refusal: 'Its input was not asked for: start it with stdin: "pipe".',
} as const;
