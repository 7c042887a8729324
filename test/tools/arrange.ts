import { createSupervisor, type SupervisorOptions } from '../../src/index.ts';
import { createScriptedBackend, createVirtualClock, type Script } from '../../src/testing/index.ts';

/** A supervisor whose processes are played by hand, and tools that act for `agent`. */
export function arrange(options: { script?: Script; supervisor?: SupervisorOptions } = {}) {
  const clock = createVirtualClock();
  const backend = createScriptedBackend(options.script);
  const supervisor = createSupervisor({ stateDirectory: false, clock, backend, ...options.supervisor });
  const start = (command: string, owner = 'agent') => supervisor.start({ command, owner, background: true });
  return {
    clock,
    backend,
    supervisor,
    start,
    context: { supervisor, owner: 'agent' },
    [Symbol.asyncDispose]: async () => void (await supervisor.shutdown()),
  };
}
