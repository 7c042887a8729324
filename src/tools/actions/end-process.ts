import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { KillAnswer } from '../../process/process-handle.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { orInterrupted } from '../interruption.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

export interface EndedProcess {
  readonly view: ProcessView;
  readonly type: KillAnswer['type'] | 'interrupted';
  readonly message: string;
}

/** Ends a process and all that it started, and waits until that is gone. An interruption ends the wait and not the kill. */
export async function endProcess(
  { id, signal }: { id: string; signal?: ProcessSignal },
  context: ToolContext,
): Promise<Outcome<EndedProcess>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const killed = found.kill({ by: 'agent', ...(signal !== undefined && { signal }) });
  const outcome = await orInterrupted(killed, context.interrupt);
  const view = found.view();
  const { type, message } =
    outcome.type === 'done'
      ? outcome.value
      : { type: outcome.type, message: `Process ${id} was told to end; nobody waits for it any more.` };
  return { ok: true, value: { view, type, message }, reveals: toRevealed(view) };
}
