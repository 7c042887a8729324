import { existsSync } from 'node:fs';
import type { SupervisorDeps } from './supervisor-deps.ts';

/**
 * Removes the entries of dead supervisors: a record whose supervisor has no entry is an orphan as well. Also removes environments without a
 * record, which a supervisor leaves that is killed between saving the two; another one that is alive may be between them.
 */
export function unregisterDead({
  supervisors,
  supervisorId,
  environments,
  paths,
}: Pick<SupervisorDeps, 'supervisors' | 'environments' | 'paths'> & {
  /** Id of the supervisor that asks, where one does. */
  readonly supervisorId?: string;
}): void {
  if (supervisors === null || paths === null) return;
  const dead = supervisors.list().filter(({ state }) => state === 'dead');
  if (dead.length === 0) return;
  const isAlone = () =>
    supervisors.list().every(({ entry, state }) => entry.id === supervisorId || state === 'dead');
  environments?.prune((id) => isAlone() && !existsSync(paths.recordOf(id)));
  for (const { entry } of dead) supervisors.unregister(entry.id);
}
