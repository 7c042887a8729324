import { createActor, type InspectionEvent } from 'xstate';
import type { watchMachine } from '../../machines/watch/machine.ts';
import type { Clock } from '../clock/clock.ts';
import { parseOptions } from '../config/parse-options.ts';
import { type NotificationFilter, type WatchOver, watchOptions } from '../config/watch-options.ts';
import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import { createRandomId } from '../process/process-id.ts';
import type { RecordedWatch } from '../process/process-record.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { ActiveWatch, type WatchActor } from './active-watch.ts';
import { ActiveWatches } from './active-watches.ts';
import { provideWatchEffects } from './provide-watch-effects.ts';
import type { WatchNews, WatchOptions, WatchView } from './watch.ts';

const DEFAULT_QUIET_MS = 5_000;

export interface WatchesDeps {
  readonly clock: Clock;
  /** Observes the actors of all watches. */
  readonly inspect: ((event: InspectionEvent) => void) | null;
  tell(news: WatchNews): void;
  /** Saves the record of a process with its watches. */
  save(process: SupervisedProcess): void;
  reportError(error: unknown): void;
}

/** The watches of all processes of a supervisor. */
export class Watches implements ProcessService {
  readonly #deps: WatchesDeps;
  readonly #open = new ActiveWatches();
  readonly #machine: typeof watchMachine;
  /** Searches of what ended processes printed last. */
  readonly #ending = new Map<string, Promise<unknown>>();

  constructor(deps: WatchesDeps) {
    this.#deps = deps;
    this.#machine = provideWatchEffects({ find: (id) => this.#open.get(id), reportError: deps.reportError });
  }

  /** @throws TroupeError `invalid-option` */
  watch(process: SupervisedProcess, options: WatchOptions): WatchView {
    const given = parseOptions(watchOptions, { input: options, name: 'watch' });
    const { owner = process.owner, quiet = DEFAULT_QUIET_MS, pattern, kept = true, onOver } = given;
    this.actorOf(process.id, owner)?.send({ type: 'watch.replace' });
    const wants: RecordedWatch['wants'] =
      pattern === undefined ? { type: 'quiet', quietMs: quiet } : { type: 'pattern', pattern };
    const watch = { owner, wants, since: this.#deps.clock.epochMs(), told: 0 };
    const watching = this.#begin(process, { watch, isKept: kept, onOver });
    this.#keep(process);
    return watching.view();
  }

  /** Ends a watch. Returns `false` if there was none. */
  unwatch({ id }: SupervisedProcess, owner: string): boolean {
    const actor = this.actorOf(id, owner);
    actor?.send({ type: 'watch.cancel' });
    return actor !== undefined;
  }

  list(filter: NotificationFilter): readonly WatchView[] {
    return this.#open
      .all()
      .map((watching) => watching.view())
      .filter(({ owner }) => filter.owner === undefined || owner === filter.owner)
      .filter(({ processId }) => filter.process === undefined || processId === filter.process);
  }

  on({ type }: LifecycleEvent, process: SupervisedProcess): void {
    if (type === 'process.created') this.#restore(process);
    if (type === 'process.ended') this.#end(process.id);
    if (type === 'process.detached') for (const watching of this.#open.of(process.id)) watching.detach();
  }

  /**
   * Resolves when the watches of an ended process have published their last matches, or when all watches are closed. Returns `null` if
   * no match is pending. Never rejects.
   */
  ended(processId: string): Promise<unknown> | null {
    return this.#ending.get(processId) ?? null;
  }

  /** Stops all watches at a shutdown; their records stay. */
  close(): void {
    for (const watching of this.#open.all()) watching.detach();
  }

  actorOf(processId: string, owner: string): WatchActor | undefined {
    return this.#open.find(processId, owner)?.actor;
  }

  #begin(
    process: SupervisedProcess,
    { watch, isKept, onOver }: { watch: RecordedWatch; isKept: boolean; onOver?: WatchOptions['onOver'] },
  ): ActiveWatch {
    const id = createRandomId();
    const watching = new ActiveWatch(process, {
      watch,
      deps: {
        ...this.#deps,
        onChange: () => this.#keep(process),
        onSearched: () => this.#note(process),
      },
      toActor: (wants) =>
        createActor(this.#machine, {
          id: `${process.id}/watch`,
          input: { id, wants },
          ...(this.#deps.inspect && { inspect: this.#deps.inspect }),
        }),
    });
    this.#open.add(id, { watching, isKept });
    const close = () => {
      watching.close();
      this.#open.remove(id, watching);
      if (!watching.actor.getSnapshot().matches('released')) this.#keep(process);
    };
    watching.actor.subscribe({
      complete: () => {
        close();
        // The function belongs to the caller and may throw.
        try {
          onOver?.(watching.actor.getSnapshot().value as WatchOver);
        } catch (error) {
          this.#deps.reportError(error);
        }
      },
      error: (error) => {
        close();
        this.#deps.reportError(error);
      },
    });
    watching.actor.start();
    return watching;
  }

  /** Resumes the watches of an adopted process: silence is measured anew, lines are searched from the recorded position. */
  #restore(process: SupervisedProcess): void {
    for (const watch of process.watches) this.#begin(process, { watch, isKept: true });
  }

  #end(processId: string): void {
    const searching = this.#open.of(processId).flatMap((watching) => watching.end() ?? []);
    if (searching.length === 0) return;
    const all = Promise.all(searching).finally(() => this.#ending.delete(processId));
    this.#ending.set(processId, all);
  }

  #note(process: SupervisedProcess): void {
    process.watches = this.#open.recordsOf(process.id);
  }

  #keep(process: SupervisedProcess): void {
    this.#note(process);
    if (process.plan.lifetime === 'persistent') this.#deps.save(process);
  }
}
