import type { Cancel } from '../clock/clock.ts';
import type { Backend, BackendPort, ProcessMode } from './backend.ts';
import { isPaused } from './cgroup/join-cgroup.ts';
import { refuseAll } from './refusals.ts';
import { isSameScope, isStillAlive, type ProcessIdentity } from './tree/identity.ts';
import type { ProcessTree } from './tree/process-tree.ts';
import type { TreeDeps } from './tree/tree-registry.ts';
import { createTreeCommands, registerTree } from './tree-commands.ts';

/** Interval between checks of the leader: no program reports its end. */
const LOOK_MS = 50;

const closed = {
  code: 'closed',
  refusal: 'Its input is closed: it ended with the supervisor that started it.',
} as const;

/**
 * Creates the backend of a process that is known only by the leader in its record: the process has ended and left something behind, or its own
 * backend is unavailable. The backend ends the tree and proves it; the exit of the leader stays unknown.
 */
export function createLeaderBackend(
  mode: ProcessMode,
  { deps, hasEnded }: { readonly deps: TreeDeps | null; readonly hasEnded: boolean },
): Backend {
  return {
    mode,
    capabilities: {
      input: false,
      terminal: false,
      osProcesses: true,
      separateStreams: false,
      durable: false,
    },
    run: (port) => lose(port, 'it belongs to a supervisor that is gone'),
    adopt: (port) => {
      const { leader } = port;
      if (leader === undefined || deps === null) return lose(port, 'its record names no process');
      return follow(port, { leader, deps, hasEnded });
    },
  };
}

function lose(port: BackendPort, why: string): Cancel {
  refuseAll(port);
  port.tell({ type: 'process.lost', why });
  return () => {};
}

function follow(
  port: BackendPort,
  {
    leader,
    deps,
    hasEnded,
  }: { readonly leader: ProcessIdentity; readonly deps: TreeDeps; readonly hasEnded: boolean },
): Cancel {
  const { clock, tell } = port;
  const { table, trees, reportError } = deps;
  const found = Promise.withResolvers<ProcessTree | null>();
  let hasExited = false;
  let isDetached = false;
  let cancelLook: Cancel = () => {};

  const commands = createTreeCommands({
    port,
    trees,
    findTree: () => found.promise,
    endWithoutTree: () => {
      tell({ type: 'tree.gone', ended: [] });
      return null;
    },
    hasExited: () => hasExited,
    input: closed,
  });
  port.onCommand(commands.execute);

  const look = async (tree: ProcessTree): Promise<void> => {
    if (isDetached) return;
    if (!hasEnded && isStillAlive(leader, await table.read(leader.pid))) {
      cancelLook = clock.at(clock.nowMs() + LOOK_MS, () => attempt(() => look(tree)), { idle: true });
      return;
    }
    hasExited = true;
    tree.leaderExited();
    if (!hasEnded)
      tell({
        type: 'process.lost',
        why: 'its exit is unknown: the program that would have recorded it ended first',
      });
  };

  const begin = async (): Promise<void> => {
    if (!isSameScope(leader, await table.scope())) {
      found.resolve(null);
      return tell({ type: 'process.lost', why: 'the machine was restarted since' });
    }
    const tree = registerTree(leader, { port, deps });
    const { pid, pgid } = leader;
    const entry = await table.read(pid);
    tell({
      type: 'process.adopted',
      pid,
      pgid,
      startedAtMs: port.startedAtMs ?? clock.nowMs(),
      isPaused: isPaused(leader.cgroup ?? null, isStillAlive(leader, entry) ? entry : null),
    });
    await look(tree);
    found.resolve(tree);
  };

  const attempt = (step: () => Promise<void>): void => {
    step().catch((error: unknown) => {
      found.resolve(null);
      reportError(error);
    });
  };

  attempt(begin);
  return () => {
    isDetached = true;
    cancelLook();
    commands.detach();
  };
}
