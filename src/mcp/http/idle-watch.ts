import { whenSent } from './when-sent.ts';

/** Notices when a client has had no request, no open stream and no live process for some time. */
export interface IdleWatch {
  readonly isIdle: boolean;
  /** Counts the client as busy until the response is sent. */
  during(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /** Stops the watch. */
  stop(): void;
}

/**
 * Creates a watch. `onIdle` is called when the client has been idle for `idleMs`, never before its first request, and not while `isBusy`, which
 * is asked again every `idleMs`.
 */
export function createIdleWatch({
  idleMs,
  isBusy,
  onIdle,
}: {
  idleMs: number;
  isBusy: () => boolean;
  onIdle: () => void;
}): IdleWatch {
  let open = 0;
  let hasStopped = false;
  let expiry: NodeJS.Timeout | undefined;

  const expire = () => {
    if (isBusy()) wait();
    else onIdle();
  };
  const wait = () => {
    expiry = setTimeout(expire, idleMs).unref();
  };
  const leave = () => {
    open -= 1;
    if (open === 0 && !hasStopped) wait();
  };
  return {
    get isIdle() {
      return open === 0 && !isBusy();
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
