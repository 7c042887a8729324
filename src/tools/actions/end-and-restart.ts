import type { EndingSignal } from '../../config/signal-name.ts';
import type { KillAnswer } from '../../process/process-handle.ts';
import { isEnded, type ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { orInterrupted, waitForView } from '../interruption.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

export interface EndedProcess {
  readonly view: ProcessView;
  readonly type: KillAnswer['type'] | 'interrupted';
  readonly message: string;
}

/**
 * Ends a process with everything it started and waits until all of it is gone. An interruption ends the wait, not the
 * kill.
 */
export async function endProcess(
  { id, signal }: { id: string; signal?: EndingSignal },
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
      : { type: outcome.type, message: `Process ${id} is being ended; the wait for it was interrupted.` };
  return { ok: true, value: { view, type, message }, reveals: toRevealed(view) };
}

interface RestartedProcess {
  readonly view: ProcessView;
  readonly message: string;
}

/** Restarts a process under its id, with the command that was authorized before. Answers once it is up, and ready. */
export async function restartProcess(
  { id }: { id: string },
  context: ToolContext,
): Promise<Outcome<RestartedProcess>> {
  const { interrupt } = context;
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const { attempt } = found.view();
  if (!found.restart('agent')) return refuse(found.view());
  const isUp = (view: ProcessView) =>
    view.attempt > attempt &&
    (!('ready' in view) ? view.status !== 'pending' : view.ready.state !== 'waiting');
  const outcome = await waitForView(isUp, { handle: found, interrupt });
  const view = found.view();
  return { ok: true, value: { view, message: describe(view, outcome.type) }, reveals: toRevealed(view) };
}

function refuse(view: ProcessView): Outcome<never> {
  const { id, status } = view;
  const error = isEnded(view)
    ? `Process ${id} is not running (status ${status}): start its command again as a new process.`
    : `Process ${id} cannot be restarted while it is ${status}.`;
  return { ok: false, error, reveals: toRevealed(view) };
}

function describe(view: ProcessView, outcome: 'done' | 'interrupted'): string {
  if (outcome === 'interrupted') return `Interrupted: process ${view.id} is being restarted.`;
  if (isEnded(view)) return `Process ${view.id} was restarted and has already ended.`;
  return 'ready' in view
    ? `Process ${view.id} runs again, as attempt ${view.attempt}.`
    : `Process ${view.id} was restarted, and is ${view.status}.`;
}
