import type { Cancel } from '../clock/clock.ts';
import type { Backend, BackendPort } from './backend.ts';
import { findDescriptorShortage, holdReserve } from './descriptors.ts';
import { refuseAll } from './refusals.ts';

/**
 * Runs or adopts an attempt. Refuses a start when too few file descriptors are left: those are needed to end and to record
 * running processes.
 */
export function runWithReserve(
  port: BackendPort,
  { backend, act }: { backend: Backend; act: Backend['run'] },
): Cancel {
  if (!backend.capabilities.osProcesses) return act(port);
  const shortage = act === backend.run ? findDescriptorShortage() : null;
  if (shortage !== null) {
    refuseAll(port);
    const message = `Nothing was started: ${shortage}. End other processes, or raise "ulimit -n".`;
    // Not in the turn of `run`: the process does not listen yet.
    queueMicrotask(() =>
      port.tell({ type: 'process.spawnFailed', cause: 'too-many-files', code: 'EMFILE', message }),
    );
    return () => {};
  }
  const release = holdReserve();
  const cancel = act(port);
  return () => {
    release();
    cancel();
  };
}
