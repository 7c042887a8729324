import type { Clock } from '../../clock/clock.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { createCurrentSockets } from '../../readiness/current-sockets.ts';
import { answersNow, httpReady } from '../../readiness/http-ready.ts';
import { findListeningPorts } from '../../readiness/listening-ports.ts';
import { poll } from '../../readiness/poll.ts';
import { portReady } from '../../readiness/port-ready.ts';
import type { ReadinessCondition } from '../../readiness/readiness-condition.ts';
import type { WaitCondition } from './wait-condition.ts';

interface ConditionDeps {
  readonly handle: ProcessHandle;
  readonly clock: Clock;
}

/** Holds when a process of its tree listens on the TCP port; any other process that holds the port is named. */
export function portCondition(port: number, deps: ConditionDeps): WaitCondition {
  const treePids = findTree(deps.handle);
  return {
    name: 'port',
    watch: watchOf(portReady(port, { clock: deps.clock, treePids })),
    // Leftovers may serve the port.
    settled: async () => (await findListeningPorts(await treePids())).includes(port),
  };
}

/** Holds when the address answers; on this machine only the tree is asked. */
export function httpCondition(url: string, { handle, clock }: ConditionDeps): WaitCondition {
  const options = { clock, treePids: findTree(handle) };
  const watch = watchOf(httpReady(url, options));
  const over = new AbortController();
  return {
    name: 'http',
    watch: (tell) => {
      const stop = watch(tell);
      return () => {
        stop();
        over.abort();
      };
    },
    settled: () => answersNow(url, { ...options, signal: over.signal }),
  };
}

/** Holds when no process on this machine listens on the TCP port, on any address. */
export function portFreeCondition(port: number, { clock }: ConditionDeps): WaitCondition {
  const sockets = createCurrentSockets();
  const isFree = async () => (await sockets.listening(port)).length === 0;
  return {
    name: 'portFree',
    watch: ({ holds }) =>
      poll(clock, async () => {
        if (await isFree()) holds();
      }),
    settled: isFree,
  };
}

function findTree(handle: ProcessHandle): () => Promise<readonly number[]> {
  return async () => (await handle.members()).map(({ pid }) => pid);
}

function watchOf(condition: ReadinessCondition): WaitCondition['watch'] {
  return ({ holds, impossible }) => condition.watch({ onHolds: holds, onImpossible: impossible });
}
