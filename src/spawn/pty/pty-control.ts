import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { BackendCommand } from '../../../machines/process/events.ts';
import { redactText } from '../../output/redact-text.ts';
import type { BackendPort } from '../backend.ts';
import { toCookie } from '../environment.ts';
import type { TerminalWorld } from '../terminal/terminal-world.ts';
import { identify, type ProcessIdentity } from '../tree/identity.ts';
import { createProcessTree, type ProcessTree } from '../tree/process-tree.ts';
import { createTreeCommands, type InputPort, type TerminalPort } from '../tree-commands.ts';

/** What all terminals of one supervisor share. */
export interface PtyWorld extends Pick<TerminalWorld, 'table' | 'trees' | 'reportError'> {
  /** Pids of leaders that were started and whose exit was not seen yet. */
  readonly leaders: Set<number>;
}

/** Carries out what a process orders of the tree that leads from one terminal. */
export interface PtyControl {
  obey(command: BackendCommand): void;
  leaderExited(): void;
  /** Ends timers and watches; processes are left alone. */
  release(): void;
}

export function createPtyControl(
  pid: number,
  {
    port,
    world,
    input,
    terminal,
  }: { port: BackendPort; world: PtyWorld; input: InputPort; terminal: TerminalPort },
): PtyControl {
  const { request, clock } = port;
  const { table, trees, leaders, reportError } = world;
  let exited = false;
  /** A signal went to the group alone, as the tree is not known. */
  let groupWasSignalled = false;
  let tree = findTree();

  /** `null` where the process table cannot be read. Never rejects. */
  async function findTree(): Promise<ProcessTree | null> {
    try {
      const identity = await identifyLeader();
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

  /** Until it has left our session and group, a signal for its group would be one for ours. */
  async function identifyLeader(): Promise<ProcessIdentity> {
    for (;;) {
      const found = await identify(table, { pid, id: request.id });
      if (found?.pgid === pid) return found;
      if (found === null || exited) return unseenLeader();
      // It makes its own at once.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Another thread collects its exit, perhaps before we could look. What it leaves behind began after us. */
  async function unseenLeader(): Promise<ProcessIdentity> {
    const ourselves = await identify(table, { pid: process.pid, id: request.id });
    const { bootId, pidNamespace } = await table.scope();
    const startedAt = ourselves?.startedAt ?? '0';
    return { pid, pgid: pid, sid: pid, startedAt, bootId, pidNamespace, cookie: toCookie(request.id) };
  }

  /** What kept it from being found may be over, such as too many open files. */
  async function findTreeAgain(): Promise<ProcessTree | null> {
    const before = tree;
    if ((await before) === null && !exited && tree === before) tree = findTree();
    return tree;
  }

  /** It leads a group of its own, which is ours until its exit is known. Then nobody is known to be alive. */
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
    terminal,
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
