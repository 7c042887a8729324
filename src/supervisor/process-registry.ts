import { nearest } from '../config/nearest.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

/** All processes of a supervisor by id: the live ones, and the newest of those that have ended. */
export interface ProcessRegistry {
  add(process: SupervisedProcess): void;
  get(id: string): SupervisedProcess | undefined;
  remove(id: string): void;
  /** Moves a process to the ended ones; the oldest of them beyond the bound are forgotten. */
  end(process: SupervisedProcess): void;
  readonly live: ReadonlyMap<string, SupervisedProcess>;
  readonly ended: ReadonlyMap<string, SupervisedProcess>;
  /** Ids that somebody who wrote `id` may have meant, or else the newest ones; at most three. */
  nearest(id: string): readonly string[];
}

export function createProcessRegistry(options: {
  maxFinished: number;
  /** Ended ones that are still needed, by what they left behind. */
  isNeeded: (id: string) => boolean;
}): ProcessRegistry {
  const live = new Map<string, SupervisedProcess>();
  const ended = new Map<string, SupervisedProcess>();

  const forgetOldest = () => {
    for (const id of ended.keys()) {
      if (ended.size <= options.maxFinished) return;
      if (!options.isNeeded(id)) ended.delete(id);
    }
  };

  return {
    live,
    ended,
    add: (process) => live.set(process.id, process),
    get: (id) => live.get(id) ?? ended.get(id),
    remove: (id) => {
      live.delete(id);
      ended.delete(id);
    },
    end: (process) => {
      if (!live.delete(process.id)) return;
      ended.set(process.id, process);
      if (ended.size > options.maxFinished) forgetOldest();
    },
    nearest: (id) => {
      const ids = [...live.keys(), ...ended.keys()];
      const byPrefix = id === '' ? [] : ids.filter((known) => known.startsWith(id) || known.endsWith(id));
      const closest = nearest(id, ids);
      const close = [...byPrefix, ...(closest === null ? [] : [closest])];
      return [...new Set(close.length > 0 ? close : ids.toReversed())].slice(0, 3);
    },
  };
}
