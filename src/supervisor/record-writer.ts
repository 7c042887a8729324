import type { Cancel, Clock } from '../clock/clock.ts';
import type { LifecycleEvent } from '../process/lifecycle-event.ts';
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
  /** Writes the first record. @throws the error of the system when it could not be written; then nothing of the process is stored. */
  create(process: SupervisedProcess): void;
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
  create: () => {},
  flush: () => {},
  close: () => {},
  forget: () => {},
};

export interface RecordWriterDeps {
  readonly store: RecordStore<ProcessRecord>;
  /** Environments of persistent processes, which no record contains; `null` where no process can be adopted. */
  readonly environments: EnvironmentStore | null;
  readonly author: RecordAuthor;
  readonly trees: TreeRegistry;
  /** Called before a record is written: others must see that its supervisor is alive. */
  readonly register: () => void;
  readonly reportError: (error: unknown) => void;
}

/** Writer of a supervisor with a record store. */
export class StoredRecordWriter implements RecordWriter {
  readonly #deps: RecordWriterDeps;
  readonly #batch: WriteBatch;
  /** Ids of processes whose environment is saved: it is the same for every attempt. */
  readonly #savedEnvironments = new Set<string>();
  #isClosed = false;

  constructor(deps: RecordWriterDeps) {
    this.#deps = deps;
    this.#batch = new WriteBatch(deps.author.clock, () => this.flush());
  }

  on(event: LifecycleEvent, process: SupervisedProcess): void {
    switch (event.type) {
      case 'record.changed':
        return this.touch(process);
      case 'attempt.starting':
        return this.#saveAttempt(process, event.attempt);
      case 'process.backgrounded':
      // Save while the chart still knows its state.
      case 'process.released':
        return this.save(process);
    }
  }

  touch(process: SupervisedProcess): void {
    // Another supervisor owns the record by now, or will.
    if (!process.life.isDetached) this.#batch.add(process, COALESCE_MS);
  }

  create(process: SupervisedProcess): void {
    try {
      this.#write(process);
    } catch (error) {
      this.#removeEnvironment(process);
      throw error;
    }
  }

  save(process: SupervisedProcess): void {
    try {
      this.#write(process);
    } catch (error) {
      this.#deps.reportError(error);
      // A full disk may have room again later.
      this.#batch.add(process, RETRY_MS);
    }
  }

  flush(): void {
    const due = this.#batch.takeAll().filter(({ life }) => !life.isDetached);
    for (const process of due) this.save(process);
  }

  close(): void {
    this.flush();
    this.#isClosed = true;
  }

  forget(process: SupervisedProcess): void {
    this.#batch.remove(process);
    this.#attempt(() => this.#deps.store.remove(process.id));
  }

  #write(process: SupervisedProcess): void {
    const { store, author, trees, register } = this.#deps;
    this.#batch.remove(process);
    // An unowned record is updated while it exists, and never created again.
    if ((process.isUnowned || this.#isClosed) && store.read(process.id) === null) return;
    const record = toRecord(process, { author, leader: trees.identityOf(process.id) ?? null });
    // The environment is stored elsewhere and must be removed at the end even if the state directory is gone.
    if (record.revival === null) this.#removeEnvironment(process);
    if (!this.#isClosed) register();
    // Before the record, which another supervisor may read to start the process again.
    if (record.revival !== null) this.#saveEnvironment(process);
    store.save(process.id, record);
  }

  /** Saves the number of an attempt before it starts, so that a crash cannot start it twice. */
  #saveAttempt(process: SupervisedProcess, attempt: number): void {
    const { store, author, register } = this.#deps;
    // The first attempt is on disk since it was ordered.
    if (process.plan.files === null || attempt === 1) return;
    this.#attempt(() => {
      register();
      store.save(process.id, toAttemptRecord(process, { author, attempt }));
    });
  }

  #saveEnvironment({ id, plan: { lifetime, launch } }: SupervisedProcess): void {
    const { environments } = this.#deps;
    if (environments === null || lifetime !== 'persistent' || this.#savedEnvironments.has(id)) return;
    if (Object.keys(launch.env).length === 0) return;
    this.#savedEnvironments.add(id);
    this.#attempt(() => environments.save(id, launch.env));
  }

  #removeEnvironment({ id, plan }: SupervisedProcess): void {
    if (plan.lifetime !== 'persistent') return;
    this.#savedEnvironments.delete(id);
    this.#deps.environments?.remove(id);
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#deps.reportError(error);
    }
  }
}

/** Processes whose records are written together, a moment after the first one was added. */
class WriteBatch {
  readonly #clock: Clock;
  readonly #flush: () => void;
  readonly #waiting = new Set<SupervisedProcess>();
  #cancelFlush: Cancel | null = null;

  constructor(clock: Clock, flush: () => void) {
    this.#clock = clock;
    this.#flush = flush;
  }

  add(process: SupervisedProcess, afterMs: number): void {
    this.#waiting.add(process);
    this.#cancelFlush ??= this.#clock.at(this.#clock.nowMs() + afterMs, this.#flush, {
      idle: afterMs > COALESCE_MS,
    });
  }

  remove(process: SupervisedProcess): void {
    this.#waiting.delete(process);
  }

  takeAll(): readonly SupervisedProcess[] {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    const taken = [...this.#waiting];
    this.#waiting.clear();
    return taken;
  }
}
