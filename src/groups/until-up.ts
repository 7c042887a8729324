import { filter, firstValueFrom } from 'rxjs';
import { isFinal } from '../../machines/process/view.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';

export type UpOrNot = { readonly up: true } | { readonly up: false; readonly why: string };

/**
 * Resolves when an attempt later than `afterAttempt` runs and is ready, or when that will not come: it ended for good, or its
 * readiness failed. Never rejects.
 */
export async function untilUp(handle: ProcessHandle, afterAttempt = 0): Promise<UpOrNot> {
  await firstValueFrom(
    handle.view$.pipe(filter((view) => hasEnded(view) || (isRunning(view) && view.attempt > afterAttempt))),
  );
  const ready = hasEnded(handle.view()) ? null : await handle.ready();
  const view = handle.view();
  if (hasEnded(view)) return { up: false, why: `it ${describeEnd(view.reason, view.exit)}` };
  return ready?.state === 'failed' ? { up: false, why: ready.why } : { up: true };
}

function hasEnded(view: ProcessView): view is Extract<ProcessView, { readonly endedAt: number }> {
  return isFinal(view.status);
}

export function isRunning({ status }: Pick<ProcessView, 'status'>): boolean {
  return status === 'running' || status === 'backgrounded';
}
