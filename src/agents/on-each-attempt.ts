import { distinctUntilKeyChanged, filter } from 'rxjs';
import { beginAnswer } from '../process/agent-answer.ts';
import type { ProcessHandle } from '../process/process-handle.ts';

/** Calls back at each start of an agent, the first one included; what it then prints is its answer. Lasts until its end. */
export function onEachAttempt(handle: ProcessHandle, begin: () => void): void {
  handle.view$
    .pipe(
      filter(({ status }) => status === 'running' || status === 'backgrounded'),
      distinctUntilKeyChanged('attempt'),
    )
    .subscribe(({ attempt }) => {
      // The first one may have printed it already: we came when it had been started.
      if (attempt > 1) beginAnswer(handle);
      begin();
    });
}
