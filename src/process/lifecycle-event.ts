import type { ProcessAnnouncement } from '../../machines/process/events.ts';

/** An event in the life of a process, as the services of its supervisor hear it: what its chart announces, and what happens beside the chart. */
export type LifecycleEvent =
  | ProcessAnnouncement
  /** The process exists: admitted, queued, or adopted from an earlier supervisor. It precedes every other event. */
  | { readonly type: 'process.created' }
  /** The process left the queue for a slot and counts as a background process from now on. */
  | { readonly type: 'process.promoted' }
  /** An attempt is about to be started. */
  | { readonly type: 'attempt.starting'; readonly attempt: number }
  | { readonly type: 'process.ready' | 'process.unready' }
  | { readonly type: 'input.written' }
  /** The process continues without this supervisor. Its chart has announced `process.released` before, while it was still there. */
  | { readonly type: 'process.detached' }
  /** A subscriber threw; this has no other effect. */
  | { readonly type: 'process.faulted'; readonly error: unknown }
  /** The actor of the process threw. `process.ended` follows. */
  | { readonly type: 'process.broken'; readonly error: unknown }
  /** The record of the process is out of date. */
  | { readonly type: 'record.changed' }
  /** The status, or another part of the view that lists show, has changed. */
  | { readonly type: 'view.changed' };
