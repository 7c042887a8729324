import type { Observable } from 'rxjs';
import type { Cancel } from '../clock/clock.ts';
import { onceAborted } from '../config/abort-signal.ts';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { ProcessDeps } from './process-deps.ts';

/** Notifies its listeners, and the services of the supervisor, that one process may have changed. */
export class ChangeSignal {
  /** `null` while there are none: most processes are kept long after their last listener. */
  #listeners: Set<() => void> | null = null;
  readonly #id: string;
  readonly #deps: Pick<ProcessDeps, 'emit'>;

  constructor(id: string, deps: Pick<ProcessDeps, 'emit'>) {
    this.#id = id;
    this.#deps = deps;
  }

  notify(): void {
    for (const listener of [...(this.#listeners ?? [])]) listener();
    this.#deps.emit(this.#id, { type: 'view.changed' });
  }

  /** Resolves as soon as the condition holds, which is checked now and after each change, or when `signal` is aborted. */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    if (condition() || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const listener = () => {
        if (!condition() && signal?.aborted !== true) return;
        this.#remove(listener);
        removeAbort();
        resolve();
      };
      this.#add(listener);
      const removeAbort = signal === undefined ? () => {} : onceAborted(signal, listener);
    });
  }

  /** Emits the current value, then each different one after a change; completes after the last. */
  observe<T>(source: {
    current: () => T;
    isLast: () => boolean;
    /** Another source of changes. */
    onMore?: ((push: () => void) => Cancel) | undefined;
    onSubscriberError: (error: unknown) => void;
  }): Observable<T> {
    const { current, isLast, onMore, onSubscriberError } = source;
    return new GuardedObservable((subscriber) => {
      let last: { readonly value: T } | null = null;
      const push = () => {
        const value = current();
        if (last === null || !Object.is(last.value, value)) subscriber.next(value);
        last = { value };
        if (isLast()) subscriber.complete();
      };
      push();
      if (subscriber.closed) return;
      this.#add(push);
      const cancel = onMore?.(push);
      return () => {
        this.#remove(push);
        cancel?.();
      };
    }, onSubscriberError);
  }

  #add(listener: () => void): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  #remove(listener: () => void): void {
    this.#listeners?.delete(listener);
    if (this.#listeners?.size === 0) this.#listeners = null;
  }
}
