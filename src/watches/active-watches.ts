import type { RecordedWatch } from '../process/process-record.ts';
import type { ActiveWatch } from './active-watch.ts';

interface OpenWatch {
  readonly watching: ActiveWatch;
  /** `true` if the watch is part of the record. */
  readonly isKept: boolean;
}

/** The watches that are not over, by their id, and by their process and owner. */
export class ActiveWatches {
  readonly #byId = new Map<string, OpenWatch>();
  /** Watches of the process, one for each owner. */
  readonly #byProcess = new Map<string, Map<string, OpenWatch>>();

  /** Adds a watch, in the place of the one that its owner had. */
  add(id: string, opened: OpenWatch): void {
    const { process, owner } = opened.watching;
    this.#byId.set(id, opened);
    const watches = this.#byProcess.get(process.id) ?? new Map<string, OpenWatch>();
    this.#byProcess.set(process.id, watches.set(owner, opened));
  }

  remove(id: string, watching: ActiveWatch): void {
    const { process, owner } = watching;
    this.#byId.delete(id);
    const watches = this.#byProcess.get(process.id);
    if (watches?.get(owner)?.watching === watching) watches.delete(owner);
    if (watches?.size === 0) this.#byProcess.delete(process.id);
  }

  get(id: string): ActiveWatch | undefined {
    return this.#byId.get(id)?.watching;
  }

  find(processId: string, owner: string): ActiveWatch | undefined {
    return this.#byProcess.get(processId)?.get(owner)?.watching;
  }

  all(): readonly ActiveWatch[] {
    return [...this.#byId.values()].map(({ watching }) => watching);
  }

  of(processId: string): readonly ActiveWatch[] {
    return this.#opened(processId).map(({ watching }) => watching);
  }

  /** Returns what the record of a process says of its watches. */
  recordsOf(processId: string): readonly RecordedWatch[] {
    return this.#opened(processId).flatMap(({ watching, isKept }) => (isKept ? [watching.record] : []));
  }

  #opened(processId: string): readonly OpenWatch[] {
    return [...(this.#byProcess.get(processId)?.values() ?? [])];
  }
}
