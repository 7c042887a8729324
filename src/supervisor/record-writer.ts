import type { Cancel } from '../clock/clock.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { type RecordAuthor, toAttemptRecord, toRecord } from '../process/to-record.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';
import type { EnvironmentStore } from '../store/environment-store.ts';
import type { RecordStore } from '../store/record-store.ts';

/**
 * Writes the records of all processes. Changes within a few milliseconds are written together: a command that ends at once
 * is written once, with its end.
 */
export interface RecordWriter extends ProcessService {
  /** Writes the record soon. A failure is reported, and the process continues. */
  touch(process: SupervisedProcess): void;
  /** Writes the record now, before others rely on it. A failure is reported. */
  save(process: SupervisedProcess): void;
  /** @throws the error of the system when the record could not be written. */
  saveOrThrow(process: SupervisedProcess): void;
  /** Writes all pending records. */
  flush(): void;
  /** Flushes for the last time. Later changes, such as an acknowledged end, update existing records and create none. */
  close(): void;
  /** Removes the record of a process. */
  forget(process: SupervisedProcess): void;
}

/** Maximum delay of a write. A killed supervisor loses the changes of that time; its watchdog still has them. */
const COALESCE_MS = 10;

/** Delay before a failed write is repeated. */
const RETRY_MS = 2_000;

/** Writer of a supervisor without records; does nothing. */
export const noRecords: RecordWriter = {
  on: () => {},
  touch: () => {},
  save: () => {},
  saveOrThrow: () => {},
  flush: () => {},
  close: () => {},
  forget: () => {},
};

export function createRecordWriter(options: {
  store: RecordStore<ProcessRecord>;
  /** Environments of persistent processes, which no record contains; `null` where no process can be adopted. */
  environments: EnvironmentStore | null;
  author: RecordAuthor;
  trees: TreeRegistry;
  /** Called before a record is written: others must see that its supervisor is alive. */
  register: () => void;
  reportError: (error: unknown) => void;
}): RecordWriter {
  const { store, environments, author, trees, reportError } = options;
  const { clock } = author;
  const waiting = new Set<SupervisedProcess>();
  /** Ids of processes whose environment is saved: it is the same for every attempt. */
  const kept = new Set<string>();
  let cancelFlush: Cancel | null = null;
  let isClosed = false;

  /** Saves the environment before the record, which a supervisor may read to start the process again; removes it with the end. */
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
    // An unowned record is updated while it exists, and never created again.
    if ((process.isUnowned || isClosed) && store.read(process.id) === null) return;
    const record = toRecord(process, { ground: author, leader: trees.identityOf(process.id) ?? null });
    // The environment is stored elsewhere and must be removed at the end even if the state directory is gone.
    keepEnvironment(process, record);
    if (!isClosed) options.register();
    store.save(process.id, record);
  };

  const save = (process: SupervisedProcess) => {
    try {
      saveOrThrow(process);
    } catch (error) {
      reportError(error);
      // A full disk may have room again later.
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

  const touch = (process: SupervisedProcess) => {
    // Another supervisor owns the record by now, or will.
    if (process.life.isDetached) return;
    waiting.add(process);
    flushAt(COALESCE_MS);
  };

  /** Saves the number of an attempt before it starts, so that a crash cannot start it twice. */
  const saveAttempt = (process: SupervisedProcess, attempt: number) => {
    // The first attempt is on disk since it was ordered.
    if (process.plan.files === null || attempt === 1) return;
    try {
      options.register();
      store.save(process.id, toAttemptRecord(process, { ground: author, attempt }));
    } catch (error) {
      reportError(error);
    }
  };

  return {
    on: (event, process) => {
      switch (event.type) {
        case 'record.changed':
          return touch(process);
        case 'attempt.starting':
          return saveAttempt(process, event.attempt);
        case 'process.backgrounded':
        // Save while the chart still knows its state.
        case 'process.released':
          return save(process);
      }
    },
    touch,
    save,
    saveOrThrow,
    flush,
    close: () => {
      flush();
      isClosed = true;
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
