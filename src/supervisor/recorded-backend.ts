import type { ProcessRecord } from '../process/process-record.ts';
import type { Backend } from '../spawn/backend.ts';
import type { Unavailable } from '../spawn/terminal/terminal-deps.ts';
import type { PlanningGround } from './planning-ground.ts';

/** What runs a process that is to outlive its supervisor, as its record tells. */
export function findRecordedBackend(
  { revival }: ProcessRecord,
  ground: PlanningGround,
): Backend | Unavailable {
  const isOwn = ground.settings.backend !== undefined;
  if (revival?.size == null) return ground.durableBackend ?? ownBackend;
  const tmux = ground.terminals.tmux();
  return 'why' in tmux && isOwn ? ownBackend : tmux;
}

const ownBackend: Unavailable = {
  why: 'the option "backend" gives one that takes nothing over',
  remedy: 'Leave that option out',
};
