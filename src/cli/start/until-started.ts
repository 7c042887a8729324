import type { Clock } from '../../clock/clock.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';

/** How often a supervisor is asked, which costs it microseconds. */
const ASK_EVERY_MS = 20;

/** The process once it was started, or could not be. One that waits for a slot is not waited for. */
export async function untilStarted(
  id: string,
  { state, clock }: { readonly state: Pick<StateDirectory, 'show'>; readonly clock: Clock },
): Promise<ProcessView> {
  for (;;) {
    const { view } = await state.show(id);
    if (view.status !== 'pending' || view.queued) return view;
    await new Promise<void>((resolve) => clock.at(clock.nowMs() + ASK_EVERY_MS, resolve));
  }
}
