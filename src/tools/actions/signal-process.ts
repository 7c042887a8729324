import { type SignalName, toSignalNumber } from '../../config/signal-name.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

interface SignalledProcess {
  readonly view: ProcessView;
  readonly message: string;
}

/** Returns what is wrong with a signal that a model named, or `null`. */
export function findSignalProblem(signal: string): string | null {
  if (signal === 'SIGKILL') return 'SIGKILL ends a process: kill it instead';
  return toSignalNumber(signal as SignalName) === null
    ? `there is no signal ${JSON.stringify(signal)}: name one such as SIGHUP`
    : null;
}

/** Sends a signal that does not stop a process; SIGSTOP pauses it, and SIGCONT resumes it. */
export async function signalProcess(
  { id, signal }: { readonly id: string; readonly signal: string },
  context: ToolContext,
): Promise<Outcome<SignalledProcess>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const { ok, message } = await found.signal({ signal: signal as SignalName, by: 'agent' });
  const view = found.view();
  const reveals = toRevealed(view);
  return ok ? { ok, value: { view, message }, reveals } : { ok, error: message, reveals };
}
