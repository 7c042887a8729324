import {
  Observable,
  type Observer,
  type Operator,
  Subscriber,
  type Subscription,
  type TeardownLogic,
} from 'rxjs';

/**
 * An observable whose subscribers cannot hurt each other or the program: what one of them throws, in whichever callback,
 * goes to `onSubscriberError` and ends this one subscription. A plain one throws it from a timer, which ends the program. What is piped from
 * it is guarded as well; an error of the source that a subscriber does not take goes the same way.
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
    // Operators subscribe with a subscriber of their own, which hands errors on to the last one.
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
    // Until `subscribe` returns there is nothing to unsubscribe: a source may emit at once.
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
      // A reporter that throws must not become the crash that it was there to prevent.
    }
  }
}
