import type { ProcessIdentity } from './identity.ts';
import type { ProcessTable } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';

/** Told of every tree that exists, so that it can end them when this program no longer can. */
export interface OrphanGuard {
  /** Called before a process is started. */
  prepare(): void;
  add(identity: ProcessIdentity): void;
  remove(identity: ProcessIdentity): void;
  /** The process and all it starts shall outlive this program. Called before it is started. */
  exempt(processId: string): void;
}

/**
 * Which processes of the operating system belong to which of ours. It lives outside the statecharts: whatever breaks
 * there, what was started can still be found and ended.
 */
export interface TreeRegistry {
  /** To be called before a process is started: from then on somebody would end it. */
  prepare(): void;
  /** Instead of `prepare`, for one that shall outlive this program: nobody will end it then. */
  exempt(id: string): void;
  add(id: string, entry: { tree: ProcessTree; identity: ProcessIdentity }): void;
  get(id: string): ProcessTree | undefined;
  /** The leader of the tree, as long as any of it may be alive. */
  identityOf(id: string): ProcessIdentity | undefined;
  /** Ends a tree that nobody is left to end, also one that is only about to be added, which takes milliseconds. */
  forceKill(id: string): void;
  /** To be called once nothing of the tree is alive. */
  remove(id: string): void;
  ids(): readonly string[];
}

/** Dependencies that all backends of one supervisor share. */
export interface TreeDeps {
  readonly table: ProcessTable;
  readonly trees: TreeRegistry;
  readonly reportError: (error: unknown) => void;
}

/** Of the abandoned that have no tree, which may never come, the newest are remembered. */
const maxKillsOnAdd = 1_000;

export function createTreeRegistry(
  guard: OrphanGuard,
  options: {
    /** Called when the tree of a process has become known; must not throw. */
    onChange?: (id: string) => void;
  } = {},
): TreeRegistry {
  const entries = new Map<string, { tree: ProcessTree; identity: ProcessIdentity }>();
  const killOnAdd = new Set<string>();
  const exempted = new Set<string>();

  const remove = (id: string) => {
    killOnAdd.delete(id);
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    if (!exempted.has(id)) guard.remove(entry.identity);
  };
  const killTree = (id: string, tree: ProcessTree) => {
    tree.watch({ onAliveChanged: () => {}, onGone: () => remove(id) });
    void tree.signal('SIGKILL');
  };

  return {
    prepare: () => guard.prepare(),
    exempt: (id) => {
      exempted.add(id);
      guard.exempt(id);
    },
    add: (id, entry) => {
      const mustKill = killOnAdd.has(id);
      remove(id);
      entries.set(id, entry);
      if (!exempted.has(id)) guard.add(entry.identity);
      options.onChange?.(id);
      if (mustKill) killTree(id, entry.tree);
    },
    forceKill: (id) => {
      const entry = entries.get(id);
      if (entry !== undefined) return killTree(id, entry.tree);
      killOnAdd.add(id);
      const [oldest] = killOnAdd;
      if (oldest !== undefined && killOnAdd.size > maxKillsOnAdd) killOnAdd.delete(oldest);
    },
    get: (id) => entries.get(id)?.tree,
    identityOf: (id) => entries.get(id)?.identity,
    remove,
    ids: () => [...entries.keys()],
  };
}
