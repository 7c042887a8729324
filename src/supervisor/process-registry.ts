import { nearest } from '../config/nearest.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

/** What the output of ended processes may take in memory together; the oldest give way, their logs have the rest. */
const ENDED_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What is left of each stream's tail then; its head stays. */
const SHRUNK_TAIL_BYTES = 16 * 1024;

/** All processes of a supervisor by id: the live ones, and the newest of those that have ended. */
export interface ProcessRegistry {
  add(process: SupervisedProcess): void;
  get(id: string): SupervisedProcess | undefined;
  remove(id: string): void;
  /** It goes on, and is not ours any more. */
  release(id: string): void;
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
  /** Nothing of it is kept here any more. `full`: others took its place. */
  onForgotten: (process: SupervisedProcess, why: 'full' | 'removed') => void;
}): ProcessRegistry {
  const live = new Map<string, SupervisedProcess>();
  const ended = new Map<string, SupervisedProcess>();

  const forget = (process: SupervisedProcess, why: 'full' | 'removed') => {
    ended.delete(process.id);
    // Who still wrote to it was no leftover of ours.
    process.output.close();
    options.onForgotten(process, why);
  };

  const forgetOldest = () => {
    for (const process of ended.values()) {
      if (ended.size <= options.maxFinished) return;
      if (!options.isNeeded(process.id)) forget(process, 'full');
    }
  };

  /** Ended ones with all of their output, oldest first, and what that takes. */
  const full: { readonly process: SupervisedProcess; readonly bytes: number }[] = [];
  let fullBytes = 0;

  const shrinkOldest = (ended: SupervisedProcess) => {
    const bytes = ended.output.log.keptBytes;
    if (bytes <= SHRUNK_TAIL_BYTES) return;
    full.push({ process: ended, bytes });
    fullBytes += bytes;
    while (fullBytes > ENDED_OUTPUT_BYTES) {
      const oldest = full.shift();
      if (oldest === undefined) return;
      fullBytes -= oldest.bytes;
      oldest.process.output.log.shrink(SHRUNK_TAIL_BYTES);
    }
  };

  return {
    live,
    ended,
    add: (process) => live.set(process.id, process),
    get: (id) => live.get(id) ?? ended.get(id),
    remove: (id) => {
      const process = live.get(id) ?? ended.get(id);
      live.delete(id);
      if (process !== undefined) forget(process, 'removed');
    },
    release: (id) => void live.delete(id),
    end: (process) => {
      if (!live.delete(process.id)) return;
      ended.set(process.id, process);
      shrinkOldest(process);
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
