import type { Cancel, Clock } from '../clock/clock.ts';
import { redactText } from '../output/redact.ts';
import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { ReadinessOptions } from './watch-readiness.ts';

/** Watches each attempt of a process that declares a readiness condition, until the process is ready or stops. */
export function createReadinessMonitor({
  clock,
  watchReadiness,
  findPids,
  emit,
}: {
  readonly clock: Clock;
  readonly watchReadiness: (id: string, options: ReadinessOptions) => Cancel;
  /** Returns the pids of the live members of its tree. */
  readonly findPids: (process: SupervisedProcess) => Promise<readonly number[]>;
  readonly emit: (id: string, event: LifecycleEvent) => void;
}): ProcessService {
  const watches = new Map<string, Cancel>();

  const stop = (id: string) => {
    watches.get(id)?.();
    watches.delete(id);
  };

  const begin = (process: SupervisedProcess) => {
    const { id, plan } = process;
    if (plan.ready === null) return;
    stop(id);
    const startMs = clock.nowMs();
    const cancel = watchReadiness(id, {
      settings: plan.ready,
      clock,
      log: process.output.log,
      fromOffset: process.output.attemptOffset,
      cwd: plan.cwd,
      treePids: () => findPids(process),
      onReady: () => {
        process.setReady({ state: 'ready', afterMs: Math.round(clock.nowMs() - startMs) });
        emit(id, { type: 'process.ready' });
      },
      onFailed: (why) => {
        process.setReady({ state: 'failed', why: redactText(why, plan.output.secrets) });
        emit(id, { type: 'process.unready' });
      },
    });
    watches.set(id, cancel);
  };

  return {
    on: (event, process) => {
      switch (event.type) {
        case 'process.started':
          return begin(process);
        case 'process.adopted':
          return isAwaited(process) ? begin(process) : undefined;
        case 'process.stopping':
        case 'process.restarting':
        case 'process.detached':
        case 'process.ended':
          return stop(process.id);
      }
    },
  };
}

function isAwaited(process: SupervisedProcess): boolean {
  const view = process.view();
  return 'ready' in view && view.ready.state === 'waiting';
}
