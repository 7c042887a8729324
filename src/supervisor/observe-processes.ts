import type { Subject } from 'rxjs';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { ProcessView } from '../process/process-view.ts';

/** Emits the list now and after changes, at most once in each turn of the event loop. */
export function observeProcesses(options: {
  changes: Subject<void>;
  list: () => readonly ProcessView[];
  onSubscriberError: (error: unknown) => void;
}): GuardedObservable<readonly ProcessView[]> {
  const { changes, list } = options;
  return new GuardedObservable((subscriber) => {
    let isScheduled = false;
    const push = () => {
      isScheduled = false;
      subscriber.next(list());
    };
    subscriber.next(list());
    return changes.subscribe({
      next: () => {
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(push);
      },
      complete: () => {
        if (isScheduled) subscriber.next(list());
        subscriber.complete();
      },
    });
  }, options.onSubscriberError);
}
