import { createActor } from 'xstate';
import type { Clock } from '../clock/clock.ts';
import { parseOptions } from '../config/parse-options.ts';
import { type NotificationFilter, type WatchOver, watchOptions } from '../config/watch-options.ts';
import { createRandomId } from '../process/process-id.ts';
import type { RecordedWatch } from '../process/process-record.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { ActiveWatch, type WatchActor } from './active-watch.ts';
import { provideWatchEffects } from './provide-watch-effects.ts';
import type { WatchNews, WatchOptions, WatchView } from './watch.ts';

const DEFAULT_QUIET_MS = 5_000;

/** The watches of all processes of a supervisor. */
export interface Watches extends ProcessService {
  /** @throws TroupeError `invalid-option` */
  watch(process: SupervisedProcess, options: WatchOptions): WatchView;
  /** Ends a watch. Returns `false` if there was none. */
  unwatch(process: SupervisedProcess, owner: string): boolean;
  list(filter: NotificationFilter): readonly WatchView[];
  /**
   * Resolves when the watches of an ended process have published their last matches, or when all watches are closed. Returns `null` if
   * no match is pending. Never rejects.
   */
  ended(processId: string): Promise<unknown> | null;
  /** Stops all watches at a shutdown; their records stay. */
  close(): void;
  actorOf(processId: string, owner: string): WatchActor | undefined;
}

interface OpenWatch {
  readonly id: string;
  readonly watching: ActiveWatch;
  /** `true` if the watch is part of the record. */
  readonly isKept: boolean;
}

export function createWatches(deps: {
  readonly clock: Clock;
  tell(news: WatchNews): void;
  /** Saves the record of a process with its watches. */
  save(process: SupervisedProcess): void;
  reportError(error: unknown): void;
}): Watches {
  const { clock } = deps;
  const byId = new Map<string, ActiveWatch>();
  const byProcess = new Map<string, Map<string, OpenWatch>>();
  /** Searches of what ended processes printed last. */
  const ending = new Map<string, Promise<unknown>>();
  const machine = provideWatchEffects({ find: (id) => byId.get(id), reportError: deps.reportError });
  const of = (processId: string) => [...(byProcess.get(processId)?.values() ?? [])];

  const note = (process: SupervisedProcess) => {
    process.watches = of(process.id)
      .filter(({ isKept }) => isKept)
      .map(({ watching }) => watching.record);
  };

  const keep = (process: SupervisedProcess) => {
    note(process);
    if (process.plan.lifetime === 'persistent') deps.save(process);
  };

  const forget = (id: string, { process, owner }: ActiveWatch) => {
    byId.delete(id);
    const watches = byProcess.get(process.id);
    if (watches?.get(owner)?.id === id) watches.delete(owner);
    if (watches?.size === 0) byProcess.delete(process.id);
  };

  const open = (
    process: SupervisedProcess,
    { watch, isKept, onOver }: { watch: RecordedWatch; isKept: boolean; onOver?: WatchOptions['onOver'] },
  ): ActiveWatch => {
    const id = createRandomId();
    const watching = new ActiveWatch(process, {
      watch,
      deps: { ...deps, onChange: () => keep(process), onSearched: () => note(process) },
      toActor: (wants) => createActor(machine, { input: { id, wants } }),
    });
    byId.set(id, watching);
    const watches = byProcess.get(process.id) ?? new Map();
    byProcess.set(process.id, watches.set(watch.owner, { id, watching, isKept }));
    const close = () => {
      watching.close();
      forget(id, watching);
      if (!watching.actor.getSnapshot().matches('released')) keep(process);
    };
    watching.actor.subscribe({
      complete: () => {
        close();
        // The function belongs to the caller and may throw.
        try {
          onOver?.(watching.actor.getSnapshot().value as WatchOver);
        } catch (error) {
          deps.reportError(error);
        }
      },
      error: (error) => {
        close();
        deps.reportError(error);
      },
    });
    watching.actor.start();
    return watching;
  };

  /** Resumes the watches of an adopted process: silence is measured anew, lines are searched from the recorded position. */
  const restore = (process: SupervisedProcess) => {
    for (const watch of process.watches) open(process, { watch, isKept: true });
  };

  const end = (processId: string) => {
    const searching = of(processId).flatMap(({ watching }) => watching.end() ?? []);
    if (searching.length === 0) return;
    const all = Promise.all(searching).finally(() => ending.delete(processId));
    ending.set(processId, all);
  };

  const find = (processId: string, owner: string) => byProcess.get(processId)?.get(owner)?.watching;

  return {
    watch: (process, options) => {
      const given = parseOptions(watchOptions, { input: options, name: 'watch' });
      const { owner = process.owner, quiet = DEFAULT_QUIET_MS, pattern, kept = true, onOver } = given;
      find(process.id, owner)?.actor.send({ type: 'watch.replace' });
      const wants =
        pattern === undefined
          ? ({ type: 'quiet', quietMs: quiet } as const)
          : ({ type: 'pattern', pattern } as const);
      const watching = open(process, {
        watch: { owner, wants, since: clock.epochMs(), told: 0 },
        isKept: kept,
        onOver,
      });
      keep(process);
      return watching.view();
    },
    unwatch: ({ id }, owner) => {
      const watching = find(id, owner);
      watching?.actor.send({ type: 'watch.cancel' });
      return watching !== undefined;
    },
    list: (filter) =>
      [...byId.values()]
        .map((watching) => watching.view())
        .filter(({ owner }) => filter.owner === undefined || owner === filter.owner)
        .filter(({ processId }) => filter.process === undefined || processId === filter.process),
    on: ({ type }, process) => {
      if (type === 'process.created') restore(process);
      if (type === 'process.ended') end(process.id);
      if (type === 'process.detached') for (const { watching } of of(process.id)) watching.detach();
    },
    ended: (processId) => ending.get(processId) ?? null,
    close: () => {
      for (const watching of [...byId.values()]) watching.detach();
    },
    actorOf: (processId, owner) => find(processId, owner)?.actor,
  };
}
