import { parseOptions } from '../../src/config/parse-options.ts';
import { supervisorOptions } from '../../src/config/supervisor-options.ts';
import { createRuntime, type Runtime } from '../../src/supervisor/runtime.ts';
import { createSupervisorDeps, type SupervisorDeps } from '../../src/supervisor/supervisor-deps.ts';
import type { SupervisorOptions } from '../../src/supervisor/supervisor-options.ts';

/** Creates the parts of `createSupervisor` with actors open to inspection. */
export function openRuntime(options: SupervisorOptions): { runtime: Runtime; deps: SupervisorDeps } {
  const settings = parseOptions(supervisorOptions, { input: options, name: 'openRuntime' });
  const deps = createSupervisorDeps(settings, {
    reportError: () => {},
    onIdentity: (id) => runtime.processDeps.emit(id, { type: 'record.changed' }),
  });
  const runtime = createRuntime(deps, () => {});
  return { runtime, deps };
}
