import { toCompletionId } from '../process/process-id.ts';
import { isEnded, type ProcessView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** The processes of one owner, which end with it. */
export interface OwnProcesses {
  alive(): readonly ProcessView[];
  /** Returns whether all processes that end with the owner are gone, and all their ends are known. */
  areGone(isKnown: (completionId: string) => boolean): boolean;
  /** `true` while a process lives that `release` would end, leftovers included. */
  readonly isBusy: boolean;
  /**
   * Ends live processes and leftovers, except those that the new owner takes over. Persistent processes continue, with
   * their watches and schedules: notices of them wait for the same owner. All other watches and schedules are cancelled.
   */
  release(newOwner: string | null): Promise<void>;
}

export function createOwnProcesses(supervisor: Supervisor, owner: string): OwnProcesses {
  const outlives = (id: string) => {
    const view = supervisor.get(id)?.view();
    return view !== undefined && isPersistent(view) && !isEnded(view);
  };
  /** The processes that end with their owner. */
  const toEnd = () =>
    supervisor
      .list({ owner })
      .filter((view) => !isPersistent(view) && (!isEnded(view) || view.leftovers.length > 0));

  return {
    alive: () => supervisor.list({ owner, live: true }),
    areGone: (isKnown) =>
      supervisor
        .list({ owner })
        .every((view) => isPersistent(view) || (isEnded(view) && isKnown(toCompletionId(view)))),
    get isBusy() {
      return toEnd().length > 0;
    },
    release: async (newOwner) => {
      for (const { processId } of supervisor.watches({ owner }))
        if (!outlives(processId)) supervisor.unwatch(processId, { owner });
      for (const { id, processId } of supervisor.schedules({ owner }))
        if (processId === null || !outlives(processId)) supervisor.unschedule(id);
      await Promise.all(
        toEnd().map(async ({ id, lifetime }) => {
          const isInherited = lifetime === 'parent' && newOwner !== null;
          if (!(isInherited && supervisor.transfer(id, newOwner))) await supervisor.kill(id, { by: 'owner' });
        }),
      );
    },
  };
}

function isPersistent({ lifetime }: ProcessView): boolean {
  return lifetime === 'persistent';
}
