import { nearest } from '../config/nearest.ts';
import { isOwnId } from '../config/own-id.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { hasPendingNotice } from '../process/timeline.ts';

/** Maximum memory for the output of all ended processes. The oldest outputs are shrunk; their logs have the rest. */
const ENDED_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Size of each stream's tail in a shrunk output; the head is unchanged. */
const SHRUNK_TAIL_BYTES = 16 * 1024;

/** The processes of a supervisor by id: the live ones, and the newest that have ended. */
export interface ProcessRegistry extends ProcessService {
  add(process: SupervisedProcess): void;
  get(id: string): SupervisedProcess | undefined;
  /** @throws for an unknown id; only for ids of registered processes. */
  getOrThrow(id: string): SupervisedProcess;
  remove(id: string): void;
  /** Moves a process to the ended ones; the oldest beyond the bound are forgotten. */
  end(process: SupervisedProcess): void;
  readonly live: ReadonlyMap<string, SupervisedProcess>;
  readonly ended: ReadonlyMap<string, SupervisedProcess>;
  /** Ended processes with leftovers, which are not forgotten. */
  readonly withLeftovers: readonly SupervisedProcess[];
  /** Returns `true` if a process with that id of a caller's choice was forgotten because too many ended later. */
  isForgotten(id: string): boolean;
  /** Returns up to three ids that a caller who wrote `id` may have meant, or else the newest ones. */
  nearest(id: string): readonly string[];
}

export function createProcessRegistry(options: {
  maxFinished: number;
  /** Called for a process whose record is no longer needed. */
  removeRecord: (process: SupervisedProcess) => void;
}): ProcessRegistry {
  const live = new Map<string, SupervisedProcess>();
  const ended = new Map<string, SupervisedProcess>();

  /** Without a record nothing else remembers these. */
  const forgotten = new Set<string>();

  const get = (id: string) => live.get(id) ?? ended.get(id);

  const forget = (process: SupervisedProcess, why: 'full' | 'removed') => {
    ended.delete(process.id);
    // A remaining writer is not a leftover of this process.
    process.output.close();
    if (why === 'removed' || !isWanted(process)) options.removeRecord(process);
    if (why === 'full' && isOwnId(process.id)) forgotten.add(process.id);
  };

  const forgetOldest = () => {
    for (const process of ended.values()) {
      if (ended.size <= options.maxFinished) return;
      if (!process.life.hasLeftovers) forget(process, 'full');
    }
  };

  /** Ended processes with all of their output and its size, oldest first. */
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

  const end = (process: SupervisedProcess) => {
    if (!live.delete(process.id)) return;
    ended.set(process.id, process);
    shrinkOldest(process);
    if (ended.size > options.maxFinished) forgetOldest();
  };

  return {
    live,
    ended,
    get withLeftovers() {
      return [...ended.values()].filter(({ life }) => life.hasLeftovers);
    },
    isForgotten: (id) => forgotten.has(id),
    add: (process) => live.set(process.id, process),
    get,
    getOrThrow: (id) => {
      const process = get(id);
      if (process === undefined) throw new Error(`There is no process ${id}.`);
      return process;
    },
    remove: (id) => {
      const process = get(id);
      live.delete(id);
      if (process !== undefined) forget(process, 'removed');
    },
    end,
    on: ({ type }, process) => {
      if (type === 'process.detached') live.delete(process.id);
      if (type === 'process.ended') end(process);
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

/** Returns `true` if the record must outlive the entry in memory: others may list the process or wait for its end, or start its id again. */
function isWanted(process: SupervisedProcess): boolean {
  if (process.isRestored || isOwnId(process.id)) return true;
  return hasPendingNotice({ view: process.view(), timeline: process.timeline.entries });
}
