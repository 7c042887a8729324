import type { Lane } from './context.ts';

/** Which slot a process holds: what it was counted as is what it gives back. */
export type Slot = { readonly place: 'foreground' | 'background'; readonly lane: Lane };

/** What the supervisor's chart is told: who wants to start, and which slots come free. */
export type SupervisorEvent =
  | { type: 'process.requested'; id: string; lane: Lane; background: boolean }
  /** A process that held a foreground slot is in the background now. It never fails for want of room. */
  | { type: 'process.backgrounded'; lane: Lane }
  /** A process of an earlier supervisor was taken over. */
  | { type: 'process.adopted' }
  /** A process that waited for a foreground slot starts in the background instead. Never refused for want of room. */
  | { type: 'process.promoted'; id: string; lane: Lane }
  /** A process has ended: its slot is free. What it left behind holds none. */
  | { type: 'process.released'; slot: Slot }
  /** A process that waited for a slot does not want it any more. */
  | { type: 'process.withdrawn'; id: string; lane: Lane }
  | { type: 'supervisor.stop' }
  /** A shutdown has taken as long as it may. */
  | { type: 'deadline.shutdown' };

/** Why a start was refused. */
export type Refusal = 'background-limit' | 'shutting-down';
