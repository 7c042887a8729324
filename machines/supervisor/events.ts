import type { Lane } from './context.ts';

/** Slot that a process holds and gives back as it was counted. */
export type Slot = { readonly place: 'foreground' | 'background'; readonly lane: Lane };

/** Events of admission: requests to start, and slots that come free. */
export type SupervisorEvent =
  | { type: 'process.requested'; id: string; lane: Lane; background: boolean }
  /** A process moved from the foreground to the background. Never refused, even when the background is full. */
  | { type: 'process.backgrounded'; lane: Lane }
  /** A process of an earlier supervisor was adopted. */
  | { type: 'process.adopted' }
  /** A queued process starts in the background instead. Never refused, even when the background is full. */
  | { type: 'process.promoted'; id: string; lane: Lane }
  /** A process has ended and its slot is free. Leftovers hold none. */
  | { type: 'process.released'; slot: Slot }
  /** A queued process was cancelled. */
  | { type: 'process.withdrawn'; id: string; lane: Lane }
  | { type: 'supervisor.stop' }
  /** The time for a shutdown is over. */
  | { type: 'deadline.shutdown' };

/** Reason for which a start was refused. */
export type Refusal = 'background-limit' | 'shutting-down';
