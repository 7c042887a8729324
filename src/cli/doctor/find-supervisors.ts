import { createRealClock } from '../../clock/real-clock.ts';
import { createFileSupervisorRegistry } from '../../store/file-supervisor-registry.ts';
import type { SupervisorEntry } from '../../store/supervisor-registry.ts';

/** Who is alive and supervises in that state directory. */
export async function findSupervisors(directory: string): Promise<readonly SupervisorEntry[]> {
  const roll = createFileSupervisorRegistry({ directory, clock: createRealClock() });
  return roll.list().flatMap(({ entry, state }) => (state === 'alive' ? [entry] : []));
}
