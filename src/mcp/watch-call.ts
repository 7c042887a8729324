import type { ProcessHandle } from '../process/process-handle.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** The same supervisor, as one call uses it: whoever makes the call knows which processes it is about. */
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
