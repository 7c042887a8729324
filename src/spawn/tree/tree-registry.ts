import type { ProcessIdentity } from './identity.ts';
import type { ProcessTree } from './process-tree.ts';

/** Told of every tree that exists, so that it can end them when this program no longer can. */
export interface TreeGuard {
  add(identity: ProcessIdentity): void;
  remove(identity: ProcessIdentity): void;
}

/**
 * Which processes of the operating system belong to which of ours. It lives outside the statecharts: whatever breaks
 * there, what was started can still be found and ended.
 */
export interface TreeRegistry {
  add(id: string, entry: { tree: ProcessTree; identity: ProcessIdentity }): void;
  get(id: string): ProcessTree | undefined;
  /** To be called once nothing of the tree is alive. */
  remove(id: string): void;
  ids(): readonly string[];
}

export function createTreeRegistry(guard: TreeGuard): TreeRegistry {
  const entries = new Map<string, { tree: ProcessTree; identity: ProcessIdentity }>();
  const remove = (id: string) => {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    guard.remove(entry.identity);
  };
  return {
    add: (id, entry) => {
      remove(id);
      entries.set(id, entry);
      guard.add(entry.identity);
    },
    get: (id) => entries.get(id)?.tree,
    remove,
    ids: () => [...entries.keys()],
  };
}
