import { formatDuration } from '../config/duration.ts';
import { ModelError } from './model-error.ts';

/** Ends a request when the caller aborts it, no more data arrives, or its reader has stopped. */
export interface IdleTimeout {
  /** Signal for the request. Its reason is that of the caller's signal, or a ModelError `cut`. */
  readonly signal: AbortSignal;
  /** Starts listening; `withinMs` changes the allowed silence from here on. */
  restart(withinMs?: number): void;
  /** Stops listening until the next `restart`. */
  pause(): void;
  /** Ends the request if it still runs, and leaves no timer or listener. */
  stop(): void;
}

export function createIdleTimeout(request: {
  readonly signal: AbortSignal;
  readonly idleMs: number;
  /** The endpoint, for the message. */
  readonly name: string;
}): IdleTimeout {
  const { signal, idleMs, name } = request;
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let limitMs = idleMs;

  const end = (reason?: unknown): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    own.abort(reason);
  };
  const onAbort = (): void => end(signal.reason);
  const onSilence = (): void => {
    const message = `${name} has been silent for ${formatDuration(limitMs)}.`;
    end(new ModelError({ failure: 'cut', message }));
  };
  const beat = (withinMs = limitMs): void => {
    if (own.signal.aborted) return;
    limitMs = withinMs;
    clearTimeout(timer);
    timer = setTimeout(onSilence, limitMs);
  };

  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  beat();
  return { signal: own.signal, restart: beat, pause: () => clearTimeout(timer), stop: () => end() };
}
