import {
  Observable,
  type Observer,
  type Operator,
  Subscriber,
  type Subscription,
  type TeardownLogic,
} from 'rxjs';

/**
 * An observable that isolates its subscribers: an error thrown in any callback goes to `onSubscriberError`
 * and ends only that subscription, whereas a plain observable rethrows it from a timer and ends the program.
 * Operators keep the guard; errors of the source that a subscriber does not handle go the same way.
 */
export class GuardedObservable<T> extends Observable<T> {
  readonly #onSubscriberError: (error: unknown) => void;

  constructor(
    subscribe: ((subscriber: Subscriber<T>) => TeardownLogic) | undefined,
    onSubscriberError: (error: unknown) => void,
  ) {
    super(subscribe);
    this.#onSubscriberError = onSubscriberError;
  }

  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    const lifted = new GuardedObservable<R>(undefined, this.#onSubscriberError);
    lifted.source = this;
    lifted.operator = operator as Operator<unknown, R> | undefined;
    return lifted;
  }

  override subscribe(observerOrNext?: Partial<Observer<T>> | ((value: T) => void) | null): Subscription;
  override subscribe(
    next?: ((value: T) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription;
  override subscribe(
    observerOrNext?: Partial<Observer<T>> | ((value: T) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // Operators subscribe with their own subscriber, which passes errors on to the last one.
    if (observerOrNext instanceof Subscriber) return super.subscribe(observerOrNext);
    if (typeof observerOrNext === 'object' && observerOrNext !== null)
      return this.#subscribeGuarded(observerOrNext);
    return this.#subscribeGuarded({
      ...(observerOrNext ? { next: observerOrNext } : {}),
      ...(error ? { error } : {}),
      ...(complete ? { complete } : {}),
    });
  }

  #subscribeGuarded(observer: Partial<Observer<T>>): Subscription {
    // A source may emit before `subscribe` returns, when there is nothing to unsubscribe yet.
    let isBroken = false;
    let subscription: Subscription | null = null;
    const guard = (callback: () => void): void => {
      if (isBroken) return;
      try {
        callback();
      } catch (error) {
        isBroken = true;
        subscription?.unsubscribe();
        this.#report(error);
      }
    };
    subscription = super.subscribe({
      next: (value) => guard(() => observer.next?.(value)),
      error: (error) => guard(() => (observer.error ? observer.error(error) : this.#report(error))),
      complete: () => guard(() => observer.complete?.()),
    });
    if (isBroken) subscription.unsubscribe();
    return subscription;
  }

  #report(error: unknown): void {
    try {
      this.#onSubscriberError(error);
    } catch {
      // A reporter that throws must not crash the program.
    }
  }
}
