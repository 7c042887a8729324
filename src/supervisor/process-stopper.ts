import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

/** Stops every process for a shutdown, and detaches persistent ones. */
export interface ProcessStopper extends ProcessService {
  stopAll(order: { readonly graceMs: number }): void;
  /** Whether the process outlives the shutdown that is under way. */
  isLeaving(process: SupervisedProcess): boolean;
}

export function createProcessStopper({
  live,
  save,
  emit,
}: {
  readonly live: () => Iterable<SupervisedProcess>;
  /** Writes the record of a process now. */
  readonly save: (process: SupervisedProcess) => void;
  readonly emit: (id: string, event: LifecycleEvent) => void;
}): ProcessStopper {
  let isStopping = false;
  const isLeaving = ({ plan }: SupervisedProcess) => isStopping && plan.lifetime === 'persistent';

  /** A process that is coming up or ending is detached once it is up, or ends by itself. */
  const detach = (process: SupervisedProcess) => {
    // While its chart can be asked how far it has come; in any other state the chart announces `process.released` first.
    if (process.status === 'restarting') save(process);
    if (process.detach()) emit(process.id, { type: 'process.detached' });
  };

  return {
    isLeaving,
    stopAll: ({ graceMs }) => {
      isStopping = true;
      for (const process of [...live()]) {
        if (isLeaving(process) && !isQueued(process)) detach(process);
        else process.orders.stop({ signal: 'SIGTERM', graceMs, by: 'supervisor' });
      }
    },
    on: ({ type }, process) => {
      const mayDetach =
        type === 'process.started' ||
        type === 'process.adopted' ||
        type === 'process.stopping' ||
        type === 'process.restarting';
      // In the next turn: the chart is in the middle of a step.
      if (mayDetach && isLeaving(process)) queueMicrotask(() => detach(process));
    },
  };
}

/** A process that waits for a slot will not get one: there is nothing yet that could continue. */
function isQueued(process: SupervisedProcess): boolean {
  const view = process.view();
  return view.status === 'pending' && view.queued;
}
