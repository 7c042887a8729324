import type { ProcessHandle } from '../process/process-handle.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** Wraps the supervisor for one call, and reports each process that the call uses. */
export function watchCall(
  supervisor: Supervisor,
  { onLook, check }: { readonly onLook: (handle: ProcessHandle) => void; readonly check: () => void },
): Supervisor {
  const look = <Handle extends ProcessHandle | undefined>(handle: Handle): Handle => {
    if (handle !== undefined) onLook(handle);
    return handle;
  };
  return {
    ...supervisor,
    start: (spec) => {
      check();
      return look(supervisor.start(spec));
    },
    get: (id) => look(supervisor.get(id)),
  };
}
