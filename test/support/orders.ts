import type { ProcessSignal } from '../../machines/process/context.ts';
import type { BackendCommand, SignalOutcome, SignalReason } from '../../machines/process/events.ts';

/** Reason of the orders of a test. */
export const ordered: SignalReason = { by: 'user', cause: { type: 'kill', by: 'user' } };

/** Returns the command that ends a tree by a signal. */
export function endBy(signal: ProcessSignal): BackendCommand {
  return { type: 'tree.end', signal, why: ordered };
}

/** Sends a command that signals, pauses or resumes, and resolves with its outcome. */
export function askTree(
  send: (command: BackendCommand) => void,
  order:
    | { readonly type: 'tree.pause' | 'tree.resume' }
    | { readonly type: 'tree.signal'; readonly signal: ProcessSignal; readonly to: 'tree' | 'leader' },
): Promise<SignalOutcome> {
  return new Promise((reply) => send({ ...order, why: ordered, reply } as BackendCommand));
}
