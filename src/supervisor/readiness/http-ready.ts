import type { Cancel, Clock } from '../../clock/clock.ts';
import { createCurrentSockets } from './current-sockets.ts';
import type { SocketTable } from './listening-sockets.ts';
import { mayAnswer, toLoopbackAddresses } from './loopback.ts';
import { poll } from './poll.ts';
import { describeTaken } from './port-holder.ts';
import type { ReadinessCondition } from './readiness-condition.ts';
import { createTreePort, type PortState } from './tree-port.ts';

/** How long one attempt may wait for the head of the answer. */
const longestWaitMs = 2_000;

interface HttpReadyOptions {
  readonly clock: Clock;
  readonly treePids: () => Promise<readonly number[]>;
  readonly sockets?: SocketTable;
}

/**
 * Holds when GET answers 2xx or 3xx; redirects are not followed. On the loopback nothing is asked before the tree alone
 * listens there, so that nobody else's server can answer, and another holder of the port makes it impossible; a server elsewhere is
 * believed.
 */
export function httpReady(url: string, options: HttpReadyOptions): ReadinessCondition {
  const { clock } = options;
  const { hostname } = new URL(url);
  const port = toPort(url);
  let lastAnswer = 'nobody of its own listens there';

  return {
    describe: () => `${url} to answer 2xx or 3xx (last: ${lastAnswer})`,
    watch: ({ onHolds, onImpossible }) => {
      const lookAtPort = createPortLook(hostname, { ...options, port });
      const aborter = new AbortController();
      const stop = poll(clock, async () => {
        const state = await lookAtPort();
        if (state.type === 'taken') return onImpossible(describeTaken(port, state.holder));
        if (state.type === 'free' || aborter.signal.aborted) return;
        const answer = await get(url, { clock, signal: aborter.signal });
        lastAnswer = String(answer);
        if (isGood(answer)) onHolds();
      });
      return () => {
        stop();
        aborter.abort();
      };
    },
  };
}

/** Looks once: what `httpReady` holds by. Nothing is left open when `signal` is aborted. */
export async function answersNow(
  url: string,
  { signal, ...options }: HttpReadyOptions & { readonly signal: AbortSignal },
): Promise<boolean> {
  const { hostname } = new URL(url);
  const state = await createPortLook(hostname, { ...options, port: toPort(url) })();
  if (state.type !== 'ours' || signal.aborted) return false;
  return isGood(await get(url, { clock: options.clock, signal }));
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

/** The status, or in words why there is none. */
async function get(
  url: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<number | string> {
  const tooSlow = new AbortController();
  const cancelTimer: Cancel = clock.at(clock.nowMs() + longestWaitMs, () => tooSlow.abort());
  try {
    const either = AbortSignal.any([signal, tooSlow.signal]);
    // Kept alive, the connection would stand open for seconds after nobody waits any more.
    const headers = { connection: 'close' };
    const response = await fetch(url, { redirect: 'manual', signal: either, headers });
    // The body is of no interest, and unread it would keep the connection.
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return tooSlow.signal.aborted ? `no answer in ${longestWaitMs} ms` : describeFailure(error);
  } finally {
    cancelTimer();
  }
}

function describeFailure(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
