import { createActor } from 'xstate';
import type { Clock } from '../clock/clock.ts';
import { parseOptions } from '../config/parse-options.ts';
import { type NotificationFilter, type WatchOver, watchOptions } from '../config/watch-options.ts';
import { createRandomId } from '../process/process-id.ts';
import type { RecordedWatch } from '../process/process-record.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { provideWatchEffects } from './provide-watch-effects.ts';
import type { WatchNews, WatchOptions, WatchView } from './watch.ts';
import { type WatchActor, Watching } from './watching.ts';

const DEFAULT_QUIET_MS = 5_000;

/** The watches of all processes of a supervisor. */
export interface Watches {
  /** @throws TroupeError `invalid-option` */
  watch(process: SupervisedProcess, options: WatchOptions): WatchView;
  /** `false` where there was none. */
  unwatch(process: SupervisedProcess, owner: string): boolean;
  list(filter: NotificationFilter): readonly WatchView[];
  /** Goes on with what an earlier supervisor has written down: a silence counts anew, lines from where they were told. */
  restore(process: SupervisedProcess): void;
  /**
   * Its last matches are told, and then nothing more. Of a log on a disk that may take a while: the promise resolves when they are, or
   * when the watches are closed before; `null` where it is done at once. Never rejects.
   */
  end(processId: string): Promise<unknown> | null;
  /** It goes on without this supervisor; what is written down of its watches stays. */
  release(processId: string): void;
  /** The same for all that are left. */
  close(): void;
  actorOf(processId: string, owner: string): WatchActor | undefined;
}

interface OpenWatch {
  readonly id: string;
  readonly watching: Watching;
  /** Whether it is written down. */
  readonly isKept: boolean;
}

export function createWatches(world: {
  readonly clock: Clock;
  tell(news: WatchNews): void;
  /** Writes down a process with its watches. */
  save(process: SupervisedProcess): void;
  reportError(error: unknown): void;
}): Watches {
  const { clock } = world;
  const byId = new Map<string, Watching>();
  const byProcess = new Map<string, Map<string, OpenWatch>>();
  const machine = provideWatchEffects({ find: (id) => byId.get(id), reportError: world.reportError });
  const of = (processId: string) => [...(byProcess.get(processId)?.values() ?? [])];

  const note = (process: SupervisedProcess) => {
    process.watches = of(process.id)
      .filter(({ isKept }) => isKept)
      .map(({ watching }) => watching.record);
  };

  const keep = (process: SupervisedProcess) => {
    note(process);
    if (process.plan.lifetime === 'persistent') world.save(process);
  };

  const forget = (id: string, { process, owner }: Watching) => {
    byId.delete(id);
    const watches = byProcess.get(process.id);
    if (watches?.get(owner)?.id === id) watches.delete(owner);
    if (watches?.size === 0) byProcess.delete(process.id);
  };

  const open = (
    process: SupervisedProcess,
    { watch, isKept, onOver }: { watch: RecordedWatch; isKept: boolean; onOver?: WatchOptions['onOver'] },
  ): Watching => {
    const id = createRandomId();
    const watching = new Watching(process, {
      watch,
      world: { ...world, onChange: () => keep(process), onSearched: () => note(process) },
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
        // The supervisor goes on, whatever somebody else's function throws.
        try {
          onOver?.(watching.actor.getSnapshot().value as WatchOver);
        } catch (error) {
          world.reportError(error);
        }
      },
      error: (error) => {
        close();
        world.reportError(error);
      },
    });
    watching.actor.start();
    return watching;
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
    restore: (process) => {
      for (const watch of process.watches) open(process, { watch, isKept: true });
    },
    end: (processId) => {
      const searching = of(processId).flatMap(({ watching }) => watching.end() ?? []);
      return searching.length === 0 ? null : Promise.all(searching);
    },
    release: (processId) => {
      for (const { watching } of of(processId)) watching.release();
    },
    close: () => {
      for (const watching of [...byId.values()]) watching.release();
    },
    actorOf: (processId, owner) => find(processId, owner)?.actor,
  };
}
