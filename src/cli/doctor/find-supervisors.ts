import { createRealClock } from '../../clock/real-clock.ts';
import { createFileSupervisorRoll } from '../../store/file-supervisor-roll.ts';
import type { RollEntry } from '../../store/supervisor-roll.ts';

/** Who is alive and supervises in that state directory. */
export async function findSupervisors(directory: string): Promise<readonly RollEntry[]> {
  const roll = createFileSupervisorRoll({ directory, clock: createRealClock() });
  return roll.list().flatMap(({ entry, state }) => (state === 'alive' ? [entry] : []));
}
