import { Observable, Subject } from 'rxjs';
import type { Completion } from './runtime-event.ts';

/** Publishes completions. Those left by earlier supervisors wait for the first subscriber. */
export interface CompletionStream {
  /** Publishes a completion. With `isKept` it waits for the first subscriber if there is none. */
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
