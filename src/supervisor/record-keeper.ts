import type { Cancel } from '../clock/clock.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { type RecordAuthor, toAttemptRecord, toRecord } from '../process/to-record.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';
import type { EnvironmentStore } from '../store/environment-store.ts';
import type { RecordStore } from '../store/record-store.ts';

/**
 * Keeps the records of all processes. What happens to one within a few milliseconds is one write: a command that ends at once is
 * written down once, with its end.
 */
export interface RecordKeeper {
  /** Writes it down soon. A failure is reported, and what runs goes on. */
  touch(process: SupervisedProcess): void;
  /** Writes it down now: for what somebody else relies on from here on. A failure is reported. */
  save(process: SupervisedProcess): void;
  /** @throws what the system says when it could not be written. */
  saveOrThrow(process: SupervisedProcess): void;
  /** Writes down all that waits for it. */
  flush(): void;
  /** The supervisor has ended: what is still noted, as that somebody was told, goes into records that are there, and brings none back. */
  close(): void;
  /** Writes down that an attempt is about to be started, before it is. A failure is reported. */
  saveAttempt(process: SupervisedProcess, attempt: number): void;
  /** Its record is not needed any more. */
  forget(process: SupervisedProcess): void;
}

/** The longest that a record is behind. In so long a supervisor that is killed forgets what its watchdog still knows. */
const COALESCE_MS = 10;

/** What could not be written is tried again so often. */
const RETRY_MS = 2_000;

export const noRecords: RecordKeeper = {
  touch: () => {},
  save: () => {},
  saveOrThrow: () => {},
  flush: () => {},
  close: () => {},
  saveAttempt: () => {},
  forget: () => {},
};

export function createRecordKeeper(options: {
  store: RecordStore<ProcessRecord>;
  /** What persistent processes were given, as no record has it; `null` where nobody could take one over. */
  environments: EnvironmentStore | null;
  ground: RecordAuthor;
  trees: TreeRegistry;
  /** Called before a record is written: that who writes is alive is to be known before. */
  enter: () => void;
  reportError: (error: unknown) => void;
}): RecordKeeper {
  const { store, environments, ground, trees, reportError } = options;
  const { clock } = ground;
  const waiting = new Set<SupervisedProcess>();
  /** Ids of processes whose environment is kept: it is the same for every attempt. */
  const kept = new Set<string>();
  let cancelFlush: Cancel | null = null;
  let isClosed = false;

  /** Before its record is written: whoever reads that may want to start it again. It goes with the end. */
  const keepEnvironment = ({ id, plan }: SupervisedProcess, { revival }: ProcessRecord) => {
    if (environments === null || plan.lifetime !== 'persistent') return;
    if (revival === null) {
      kept.delete(id);
      environments.remove(id);
    } else if (!kept.has(id) && Object.keys(plan.launch.env).length > 0) {
      kept.add(id);
      try {
        environments.save(id, plan.launch.env);
      } catch (error) {
        reportError(error);
      }
    }
  };

  const saveOrThrow = (process: SupervisedProcess) => {
    waiting.delete(process);
    // What had ended before is nobody's: it is noted on while it is there, and not brought back.
    if ((process.isUnowned || isClosed) && store.read(process.id) === null) return;
    const record = toRecord(process, { ground, leader: trees.identityOf(process.id) ?? null });
    // First, as it lies elsewhere: it must go with the end also where the state directory is gone.
    keepEnvironment(process, record);
    if (!isClosed) options.enter();
    store.save(process.id, record);
  };

  const save = (process: SupervisedProcess) => {
    try {
      saveOrThrow(process);
    } catch (error) {
      reportError(error);
      // A disk that is full has room again some time: what is known then is not to be lost for that.
      waiting.add(process);
      flushAt(RETRY_MS);
    }
  };

  const flushAt = (afterMs: number) => {
    cancelFlush ??= clock.at(clock.nowMs() + afterMs, flush, { idle: afterMs > COALESCE_MS });
  };

  const flush = () => {
    cancelFlush?.();
    cancelFlush = null;
    const due = [...waiting].filter(({ life }) => !life.isDetached);
    waiting.clear();
    for (const process of due) save(process);
  };

  return {
    save,
    saveOrThrow,
    flush,
    close: () => {
      flush();
      isClosed = true;
    },
    touch: (process) => {
      // It is somebody else's by now, or will be.
      if (process.life.isDetached) return;
      waiting.add(process);
      flushAt(COALESCE_MS);
    },
    saveAttempt: (process, attempt) => {
      try {
        options.enter();
        store.save(process.id, toAttemptRecord(process, { ground, attempt }));
      } catch (error) {
        reportError(error);
      }
    },
    forget: (process) => {
      waiting.delete(process);
      try {
        store.remove(process.id);
      } catch (error) {
        reportError(error);
      }
    },
  };
}
