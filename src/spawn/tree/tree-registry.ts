import type { SentSignal } from '../../../machines/process/context.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { Cgroups } from '../cgroup/cgroups.ts';
import type { Starter } from '../starter/starter.ts';
import type { ProcessIdentity } from './identity.ts';
import type { ProcessTable } from './process-table.ts';
import type { ProcessTree } from './process-tree.ts';
import type { TreeSampler } from './tree-sampler.ts';

/** Guard that knows every live tree and kills them when this program no longer can. */
export interface OrphanGuard {
  /** Called before a process is started. */
  prepare(): void;
  add(identity: ProcessIdentity): void;
  remove(identity: ProcessIdentity): void;
  /** Exempts a process and all it starts, which are to outlive this program. Called before the start. */
  exempt(processId: string): void;
}

/**
 * Registry of the operating-system processes behind ours. Kept outside the statecharts, so that whatever breaks there, everything
 * started can be found and ended.
 */
export interface TreeRegistry {
  /** Prepares the guard. Must be called before a process is started. */
  prepare(): void;
  /** Exempts a process that is to outlive this program from the guard; called instead of `prepare`. */
  exempt(id: string): void;
  add(id: string, entry: { tree: ProcessTree; identity: ProcessIdentity }): void;
  get(id: string): ProcessTree | undefined;
  /** Returns the leader of the tree, as long as any member may be alive. */
  identityOf(id: string): ProcessIdentity | undefined;
  /**
   * Kills a tree without its backend, also one that is only about to be added, which takes milliseconds. `onSent` gets each signal that was
   * sent.
   */
  forceKill(id: string, onSent: (sent: SentSignal) => void): void;
  /** Removes a tree of which no member is alive. */
  remove(id: string): void;
  ids(): readonly string[];
  /** Ends the sampling of all trees. Those that are left outlive the supervisor. */
  close(): void;
}

/** Dependencies that all backends of one supervisor share. */
export interface TreeDeps {
  readonly table: ProcessTable;
  readonly trees: TreeRegistry;
  readonly reportError: (error: unknown) => void;
  /** Absent where the lineage alone holds trees. */
  readonly cgroups?: Cgroups;
  /** Absent where this program starts all programs itself. */
  readonly starter?: Starter;
}

/** Maximum number of trees that are killed once they are added; the oldest, which may never come, are forgotten. */
const maxKillsOnAdd = 1_000;

export function createTreeRegistry(
  guard: OrphanGuard,
  options: {
    /** Called when the tree of a process has become known; must not throw. */
    onChange?: (id: string) => void;
    /** Called when a tree is removed; must not throw. */
    onRemoved?: (identity: ProcessIdentity) => void;
    /** Samples trees without a cgroup. Default: members are found only when a tree is surveyed or ended. */
    sampler?: TreeSampler;
  } = {},
): TreeRegistry {
  const entries = new Map<
    string,
    { tree: ProcessTree; identity: ProcessIdentity; stopSampling: Cancel | undefined }
  >();
  const killOnAdd = new Map<string, (sent: SentSignal) => void>();
  const exempted = new Set<string>();

  const remove = (id: string) => {
    killOnAdd.delete(id);
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    entry.stopSampling?.();
    if (!exempted.has(id)) guard.remove(entry.identity);
    options.onRemoved?.(entry.identity);
  };
  const killTree = (
    id: string,
    { tree, onSent }: { tree: ProcessTree; onSent: (sent: SentSignal) => void },
  ) => {
    tree.watch({ onAliveChanged: () => {}, onGone: () => remove(id), onSent });
    void tree.end('SIGKILL');
  };

  /** Samples a tree without a cgroup, and guards the remembered processes that carry no mark. */
  function startSampling(
    id: string,
    { tree, identity }: { tree: ProcessTree; identity: ProcessIdentity },
  ): Cancel | undefined {
    if (identity.cgroup) return undefined;
    const guarded = new Map<number, ProcessIdentity>();
    const stop = options.sampler?.add(tree, (unmarked) => {
      if (exempted.has(id)) return;
      for (const { pid, pgid, sid, startedAt } of unmarked) {
        const member = { ...identity, pid, pgid, sid, startedAt };
        guarded.set(pid, member);
        guard.add(member);
      }
    });
    return () => {
      stop?.();
      for (const member of guarded.values()) guard.remove(member);
    };
  }

  return {
    prepare: () => guard.prepare(),
    exempt: (id) => {
      exempted.add(id);
      guard.exempt(id);
    },
    add: (id, entry) => {
      const onKilled = killOnAdd.get(id);
      remove(id);
      entries.set(id, { ...entry, stopSampling: startSampling(id, entry) });
      if (!exempted.has(id)) guard.add(entry.identity);
      options.onChange?.(id);
      if (onKilled !== undefined) killTree(id, { tree: entry.tree, onSent: onKilled });
    },
    forceKill: (id, onSent) => {
      const entry = entries.get(id);
      if (entry !== undefined) return killTree(id, { tree: entry.tree, onSent });
      killOnAdd.set(id, onSent);
      const [oldest] = killOnAdd.keys();
      if (oldest !== undefined && killOnAdd.size > maxKillsOnAdd) killOnAdd.delete(oldest);
    },
    get: (id) => entries.get(id)?.tree,
    identityOf: (id) => entries.get(id)?.identity,
    remove,
    ids: () => [...entries.keys()],
    close: () => {
      for (const { stopSampling } of entries.values()) stopSampling?.();
    },
  };
}
