import type { Clock } from '../clock/clock.ts';
import { createCurrentSockets } from './current-sockets.ts';
import type { SocketTable } from './listening-sockets.ts';
import { poll } from './poll.ts';
import { describeTaken } from './port-holder.ts';
import type { ReadinessCondition } from './readiness-condition.ts';
import { createTreePort } from './tree-port.ts';

/** Addresses on which another process blocks the port; on any other address it does not. */
const addressesInTheWay: readonly string[] = ['0.0.0.0', '::', '127.0.0.1', '::1'];

/**
 * Holds when a process of the tree listens on the TCP port, on any address. Impossible as soon as only a process outside the tree
 * holds it.
 */
export function portReady(
  port: number,
  options: { clock: Clock; treePids: () => Promise<readonly number[]>; sockets?: SocketTable },
): ReadinessCondition {
  const { clock, treePids, sockets = createCurrentSockets() } = options;
  return {
    describe: () => `a process of its own to listen on port ${port}`,
    watch: ({ onHolds, onImpossible }) => {
      const lookAtPort = createTreePort({
        port,
        sockets,
        treePids,
        serves: () => true,
        sharing: 'allowed',
        disturbs: (address) => addressesInTheWay.includes(address),
      });
      return poll(clock, async () => {
        const state = await lookAtPort();
        if (state.type === 'ours') onHolds();
        if (state.type === 'taken') onImpossible(describeTaken(port, state.holder));
      });
    },
  };
}
