import { isFinal } from '../../../../machines/process/view.ts';
import type { Clock } from '../../../clock/clock.ts';
import { createRealClock } from '../../../clock/real-clock.ts';
import { toClause } from '../../../config/quote.ts';
import { describeEnd } from '../../../process/describe-end.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import { type CliIo, printError, toProgramName } from '../../cli-io.ts';
import { toProcessName } from '../../render/process-text.ts';
import { showProgress } from '../../render/progress-line.ts';

/** Interval between requests to the supervisor, each of which takes it microseconds. */
const START_POLL_MS = 20;

/** Resolves with the process once it has started or failed to start, is queued for a slot, or has waited for a worker of another host. */
export async function waitUntilStarted(
  id: string,
  {
    state,
    clock,
    maxQueueMs = Number.POSITIVE_INFINITY,
  }: {
    readonly state: Pick<StateDirectory, 'show'>;
    readonly clock: Clock;
    /** Longest wait for a worker. Default: none. */
    readonly maxQueueMs?: number;
  },
): Promise<ProcessView> {
  const giveUpAtMs = clock.nowMs() + maxQueueMs;
  for (;;) {
    const { view } = await state.show(id);
    if (view.status !== 'pending' || view.queued) return view;
    if (view.host != null && clock.nowMs() >= giveUpAtMs) return view;
    await new Promise<void>((resolve) => clock.at(clock.nowMs() + START_POLL_MS, resolve));
  }
}

const READINESS_POLL_MS = 100;

/**
 * Waits for readiness, with a progress line at a terminal. Resolves with `false` after printing why the process will not be ready. With
 * `mayComplete` an end with code 0 is as good.
 */
export async function waitUntilReady(
  process: ProcessView,
  {
    state,
    io,
    mayComplete = false,
  }: { readonly state: StateDirectory; readonly io: CliIo; readonly mayComplete?: boolean },
): Promise<boolean> {
  const clock = createRealClock();
  const name = toProcessName(process);
  const progress = showProgress({ text: () => `waiting for ${name} to be ready`, io, clock });
  try {
    for (;;) {
      const { view } = await state.show(process.id);
      const verdict = checkReadiness(view);
      if (verdict === 'ready' || (mayComplete && view.status === 'completed')) return true;
      if (verdict !== 'waiting') {
        progress.end();
        printError(io, `${name} is not ready: ${verdict}.`, toAdvice(view, toProgramName(io.env)));
        return false;
      }
      await new Promise<void>((resolve) => clock.at(clock.nowMs() + READINESS_POLL_MS, resolve));
    }
  } finally {
    progress.end();
  }
}

/** Returns `ready`, `waiting`, or a clause with the reason for the failure. */
function checkReadiness(view: ProcessView): 'ready' | 'waiting' | (string & {}) {
  if ('reason' in view && view.status !== 'restarting') return `it ${describeEnd(view.reason, view.exit)}`;
  if (!('ready' in view) || view.ready.state === 'waiting') return 'waiting';
  return view.ready.state === 'failed' ? toClause(view.ready.why) : 'ready';
}

function toAdvice({ id, status }: ProcessView, name: string): string {
  return isFinal(status)
    ? `Its output: ${name} logs ${id}`
    : `It is still running. Read its output: ${name} logs ${id}   End it: ${name} kill ${id}`;
}
