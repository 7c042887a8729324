import type { Observable } from 'rxjs';
import { GuardedObservable } from '../output/guarded-observable.ts';

/** Tells those who wait for something about one process that it may have changed. */
export interface ChangeSignal {
  notify(): void;
  /** Resolves as soon as the condition holds; it is asked now and after each change. */
  until(condition: () => boolean): Promise<void>;
  /** A value now and after each change; completes after the last one. */
  observe<T>(source: {
    current: () => T;
    isLast: () => boolean;
    onSubscriberError: (error: unknown) => void;
  }): Observable<T>;
}

export function createChangeSignal(): ChangeSignal {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const listener of [...listeners]) listener();
    },
    until: (condition) => {
      if (condition()) return Promise.resolve();
      return new Promise((resolve) => {
        const listener = () => {
          if (!condition()) return;
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
      });
    },
    observe: ({ current, isLast, onSubscriberError }) =>
      new GuardedObservable((subscriber) => {
        const push = () => {
          subscriber.next(current());
          if (isLast()) subscriber.complete();
        };
        push();
        if (subscriber.closed) return;
        listeners.add(push);
        return () => listeners.delete(push);
      }, onSubscriberError),
  };
}
