import type { ProcessIdentity } from './identity.ts';
import type { ProcessTree } from './process-tree.ts';

/** Told of every tree that exists, so that it can end them when this program no longer can. */
export interface TreeGuard {
  /** Called before a process is started. */
  prepare(): void;
  add(identity: ProcessIdentity): void;
  remove(identity: ProcessIdentity): void;
  /** The process and all it starts shall outlive this program. Called before it is started. */
  spare(processId: string): void;
}

/**
 * Which processes of the operating system belong to which of ours. It lives outside the statecharts: whatever breaks
 * there, what was started can still be found and ended.
 */
export interface TreeRegistry {
  /** To be called before a process is started: from then on somebody would end it. */
  prepare(): void;
  /** Instead of `prepare`, for one that shall outlive this program: nobody will end it then. */
  spare(id: string): void;
  add(id: string, entry: { tree: ProcessTree; identity: ProcessIdentity }): void;
  get(id: string): ProcessTree | undefined;
  /** The leader of the tree, as long as any of it may be alive. */
  identityOf(id: string): ProcessIdentity | undefined;
  /** Ends a tree that nobody is left to end, also one that is only about to be added, which takes milliseconds. */
  abandon(id: string): void;
  /** To be called once nothing of the tree is alive. */
  remove(id: string): void;
  ids(): readonly string[];
}

/** Of the abandoned that have no tree, which may never come, the newest are remembered. */
const maxAwaited = 1_000;

export function createTreeRegistry(
  guard: TreeGuard,
  options: {
    /** Called when the tree of a process has become known; must not throw. */
    onChange?: (id: string) => void;
  } = {},
): TreeRegistry {
  const entries = new Map<string, { tree: ProcessTree; identity: ProcessIdentity }>();
  const abandoned = new Set<string>();
  const spared = new Set<string>();

  const remove = (id: string) => {
    abandoned.delete(id);
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    if (!spared.has(id)) guard.remove(entry.identity);
  };
  const endTree = (id: string, tree: ProcessTree) => {
    tree.watch({ onAlive: () => {}, onGone: () => remove(id) });
    void tree.signal('SIGKILL');
  };

  return {
    prepare: () => guard.prepare(),
    spare: (id) => {
      spared.add(id);
      guard.spare(id);
    },
    add: (id, entry) => {
      const isAbandoned = abandoned.has(id);
      remove(id);
      entries.set(id, entry);
      if (!spared.has(id)) guard.add(entry.identity);
      options.onChange?.(id);
      if (isAbandoned) endTree(id, entry.tree);
    },
    abandon: (id) => {
      const entry = entries.get(id);
      if (entry !== undefined) return endTree(id, entry.tree);
      abandoned.add(id);
      const [oldest] = abandoned;
      if (oldest !== undefined && abandoned.size > maxAwaited) abandoned.delete(oldest);
    },
    get: (id) => entries.get(id)?.tree,
    identityOf: (id) => entries.get(id)?.identity,
    remove,
    ids: () => [...entries.keys()],
  };
}
