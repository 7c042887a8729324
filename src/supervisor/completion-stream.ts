import { Observable, Subject } from 'rxjs';
import type { Completion } from './runtime-event.ts';

/** Ends as they are told. What earlier supervisors left to tell waits for the first who listens. */
export interface CompletionStream {
  /** `isKept`: where nobody listens, it is kept for the first who does. */
  tell(completion: Completion, options: { readonly isKept: boolean }): void;
  readonly completions$: Observable<Completion>;
  complete(): void;
}

export function createCompletionStream(): CompletionStream {
  const subject = new Subject<Completion>();
  let kept: Completion[] = [];
  return {
    tell: (completion, { isKept }) => {
      if (isKept && !subject.observed) kept.push(completion);
      else subject.next(completion);
    },
    completions$: new Observable((subscriber) => {
      const subscription = subject.subscribe(subscriber);
      const waiting = kept;
      kept = [];
      for (const completion of waiting) subscriber.next(completion);
      return subscription;
    }),
    complete: () => subject.complete(),
  };
}
