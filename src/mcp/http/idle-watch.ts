import { whenSent } from './when-sent.ts';

/** Tells when a client has neither a request under way nor an open stream for some time. */
export interface IdleWatch {
  readonly isIdle: boolean;
  /** The client is busy from now on, until the response is sent. */
  during(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /** It tells nothing any more. */
  stop(): void;
}

/** `onIdle` is called once for each time that the client has been idle for `idleMs`, and never before its first request. */
export function createIdleWatch({ idleMs, onIdle }: { idleMs: number; onIdle: () => void }): IdleWatch {
  let open = 0;
  let hasStopped = false;
  let expiry: NodeJS.Timeout | undefined;

  const leave = () => {
    open -= 1;
    if (open === 0 && !hasStopped) expiry = setTimeout(onIdle, idleMs).unref();
  };
  return {
    get isIdle() {
      return open === 0;
    },
    during: async ({ signal }, answer) => {
      clearTimeout(expiry);
      open += 1;
      try {
        return whenSent(await answer(), { signal, done: leave });
      } catch (error) {
        leave();
        throw error;
      }
    },
    stop: () => {
      hasStopped = true;
      clearTimeout(expiry);
    },
  };
}
