import type { FinalView } from '../process/process-view.ts';

/** `turn`: it wakes an agent that is idle. `context`: it is delivered with whatever comes next. */
export type Attention = 'turn' | 'context';

/** What the agent ended itself is no news to it; nor is the end of everything. A failure always is. */
export function toAttention({ reason }: FinalView): Attention {
  const isOrdered = reason.type === 'killed' || reason.type === 'cancelled';
  return isOrdered && reason.by !== 'user' ? 'context' : 'turn';
}
