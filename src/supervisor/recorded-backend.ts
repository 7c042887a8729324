import type { ProcessRecord } from '../process/process-record.ts';
import type { Backend } from '../spawn/backend.ts';
import type { PlanningGround } from './planning-ground.ts';

/** Why what runs a process cannot be had here. */
export interface NoBackend {
  /** The end of a sentence: "tmux is not installed". */
  readonly why: string;
  /** What to do about it, as an order without its full stop. */
  readonly remedy: string;
}

/** What runs a process that is to outlive its supervisor, as its record tells. */
export function findRecordedBackend({ revival }: ProcessRecord, ground: PlanningGround): Backend | NoBackend {
  const isOwn = ground.settings.backend !== undefined;
  if (revival?.size == null) return ground.durableBackend ?? ownBackend;
  const tmux = ground.terminals.tmux();
  if (!('why' in tmux)) return tmux;
  return isOwn ? ownBackend : { ...tmux, remedy: 'Install tmux 3.3 or newer, or see that PATH leads to it' };
}

const ownBackend: NoBackend = {
  why: 'the option "backend" gives one that takes nothing over',
  remedy: 'Leave that option out',
};
