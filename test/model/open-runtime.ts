import { parseOptions } from '../../src/config/parse-options.ts';
import { supervisorOptions } from '../../src/config/supervisor-options.ts';
import { createGround, type Ground } from '../../src/supervisor/ground.ts';
import { createRuntime, type Runtime } from '../../src/supervisor/runtime.ts';
import type { SupervisorOptions } from '../../src/supervisor/supervisor-options.ts';

/** What `createSupervisor` is made of, its actors open to inspection. */
export function openRuntime(options: SupervisorOptions): { runtime: Runtime; ground: Ground } {
  const settings = parseOptions(supervisorOptions, { input: options, name: 'openRuntime' });
  const ground = createGround(settings, {
    reportError: () => {},
    onIdentity: (id) => runtime.world.onNoted(id),
  });
  const runtime = createRuntime(ground, () => {});
  return { runtime, ground };
}
