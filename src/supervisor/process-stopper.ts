import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

/** Stops every process for a shutdown, and detaches persistent ones. */
export interface ProcessStopper extends ProcessService {
  stopAll(order: { readonly graceMs: number }): void;
}

export function createProcessStopper({
  alive,
  save,
  emit,
  forceKill,
}: {
  /** Returns the live processes and those with leftovers. */
  readonly alive: () => readonly SupervisedProcess[];
  /** Writes the record of a process now. */
  readonly save: (process: SupervisedProcess) => void;
  readonly emit: (id: string, event: LifecycleEvent) => void;
  /** Kills the tree of a process without its actor. */
  readonly forceKill: (id: string) => void;
}): ProcessStopper {
  let isStopping = false;
  const isLeaving = ({ plan }: SupervisedProcess) => isStopping && plan.lifetime === 'persistent';

  /** Detaches a process. One that is starting is detached once it has started; one that is ending ends by itself. */
  const detach = (process: SupervisedProcess) => {
    // Save while the chart still knows its state; in any other state the chart emits `process.released` first.
    if (process.life.isUnspawned) save(process);
    if (process.detach()) emit(process.id, { type: 'process.detached' });
  };

  return {
    stopAll: ({ graceMs }) => {
      isStopping = true;
      for (const process of alive()) {
        if (isLeaving(process) && !isQueued(process)) detach(process);
        else process.orders.stop({ signal: 'SIGTERM', graceMs, by: 'supervisor' });
      }
    },
    on: ({ type }, process) => {
      if (type === 'process.broken') return forceKill(process.id);
      const mayDetach =
        type === 'process.started' ||
        type === 'process.adopted' ||
        type === 'process.stopping' ||
        type === 'process.restarting' ||
        type === 'process.ended';
      // Detach in a microtask, after the chart has finished its current step.
      if (mayDetach && isLeaving(process)) queueMicrotask(() => detach(process));
    },
  };
}

/** Returns `true` if a process waits for a slot: it was never started, so there is nothing to detach. */
function isQueued(process: SupervisedProcess): boolean {
  const view = process.view();
  return view.status === 'pending' && view.queued;
}
