import type { KillAnswer } from '../../process/process-handle.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { parseSignal } from '../processes/parse-signal.ts';

/** Stops a process of a stack by the signal that its file names. */
export function stopMember({ id, metadata }: ProcessView, state: StateDirectory): Promise<KillAnswer> {
  const { stopSignal } = metadata;
  const signal = typeof stopSignal === 'string' && { signal: parseSignal(stopSignal) };
  return state.kill(id, { by: 'user', ...signal });
}

/** Whether nothing is left; one that has ended by itself meanwhile is gone as well. */
export function isStopped(answer: KillAnswer): boolean {
  return !('receipt' in answer) || answer.receipt.survivors.length === 0;
}
