import type { Clock } from '../clock/clock.ts';
import { formatDuration } from '../config/duration.ts';
import { createCurrentSockets } from './current-sockets.ts';
import type { SocketTable } from './listening-sockets.ts';
import { mayAnswer, toLoopbackAddresses } from './loopback.ts';
import { poll } from './poll.ts';
import { describeTaken } from './port-holder.ts';
import type { ReadinessCondition } from './readiness-condition.ts';
import { createTreePort, type PortState } from './tree-port.ts';

/** Time without a response after which a second request is sent; it doubles for each further request. */
const firstWaitMs = 2_000;

interface HttpReadyOptions {
  readonly clock: Clock;
  readonly treePids: () => Promise<readonly number[]>;
  readonly sockets?: SocketTable;
}

/**
 * Holds when GET answers 2xx or 3xx; redirects are not followed. On the loopback no request is sent before the tree alone listens
 * on the port, and another holder of the port makes readiness impossible. Servers on other hosts are not checked.
 *
 * No request is cancelled before the watch ends: a slow server may answer the first one, and one that lost it may answer a later one.
 */
export function httpReady(url: string, options: HttpReadyOptions): ReadinessCondition {
  const { clock } = options;
  const { hostname } = new URL(url);
  const port = toPort(url);
  let lastAnswer = 'none of its own processes listens there';

  return {
    describe: () => `${url} to answer 2xx or 3xx (last: ${lastAnswer})`,
    watch: ({ onHolds, onImpossible }) => {
      const lookAtPort = createPortLook(hostname, { ...options, port });
      const aborter = new AbortController();
      const { signal } = aborter;
      let waitMs = firstWaitMs;
      const ask = async () => {
        const answer = await get(url, signal);
        lastAnswer = String(answer);
        if (isGood(answer)) onHolds();
      };
      const stop = poll(clock, async () => {
        const state = await lookAtPort();
        if (state.type === 'taken') return onImpossible(describeTaken(port, state.holder));
        if (state.type === 'free' || signal.aborted) return;
        if (await endsWithin(ask(), { clock, ms: waitMs })) return;
        lastAnswer = `no answer in ${formatDuration(waitMs)}`;
        waitMs *= 2;
      });
      return () => {
        stop();
        aborter.abort();
      };
    },
  };
}

/** Checks the condition of `httpReady` once, for at most two seconds. Closes its connections when `signal` is aborted. */
export async function answersNow(
  url: string,
  { signal, ...options }: HttpReadyOptions & { readonly signal: AbortSignal },
): Promise<boolean> {
  const { hostname } = new URL(url);
  const state = await createPortLook(hostname, { ...options, port: toPort(url) })();
  if (state.type !== 'ours' || signal.aborted) return false;
  const tooLate = new AbortController();
  const answer = get(url, AbortSignal.any([signal, tooLate.signal]));
  await endsWithin(answer, { clock: options.clock, ms: firstWaitMs });
  tooLate.abort();
  return isGood(await answer);
}

function toPort(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function isGood(answer: number | string): boolean {
  return typeof answer === 'number' && answer >= 200 && answer < 400;
}

function createPortLook(
  hostname: string,
  options: HttpReadyOptions & { port: number },
): () => Promise<PortState> {
  const targets = toLoopbackAddresses(hostname);
  if (targets.length === 0) return async () => ({ type: 'ours' });
  const matters = (address: string) => targets.some((target) => mayAnswer(address, target));
  const { sockets = createCurrentSockets() } = options;
  return createTreePort({ ...options, sockets, serves: matters, disturbs: matters, sharing: 'refused' });
}

/** Returns the status, or a clause that explains why there is none. */
async function get(url: string, signal: AbortSignal): Promise<number | string> {
  try {
    // A kept-alive connection would stay open for seconds after the request.
    const headers = { connection: 'close' };
    const response = await fetch(url, { redirect: 'manual', signal, headers });
    // An unread body would keep the connection open.
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return describeFailure(error);
  }
}

/** Resolves to `true` if `work` ends in that time. `work` is not cancelled. */
function endsWithin(
  work: Promise<unknown>,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const cancel = clock.at(clock.nowMs() + ms, () => resolve(false));
    work.then(() => resolve(true), reject).finally(cancel);
  });
}

function describeFailure(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
