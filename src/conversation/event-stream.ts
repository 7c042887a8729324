import { type Observable, Subject } from 'rxjs';
import { toError } from '../config/error-text.ts';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { ConversationEvent } from './conversation-event.ts';

/** The events of a conversation. An error of a subscriber becomes a warning, and the subscriber receives the next event. */
export interface EventStream {
  readonly events$: Observable<ConversationEvent>;
  emit(event: ConversationEvent): void;
  complete(): void;
}

/** `onEvent` receives each event before the subscribers. */
export function createEventStream(onEvent: ((event: ConversationEvent) => void) | undefined): EventStream {
  const events = new Subject<ConversationEvent>();
  const warn = (error: unknown) => process.emitWarning(toError(error), 'TroupeSubscriberWarning');
  return {
    events$: new GuardedObservable<ConversationEvent>((subscriber) => events.subscribe(subscriber), warn),
    emit: (event) => {
      try {
        onEvent?.(event);
      } catch (error) {
        warn(error);
      }
      events.next(event);
    },
    complete: () => events.complete(),
  };
}
