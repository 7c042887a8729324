import type { ControlClient } from '../control/control-client.ts';
import {
  type AskMethod,
  type CallOptions,
  type ControlParams,
  type ControlResults,
  isPeer,
  type Peer,
} from '../control/protocol.ts';
import type { SupervisorRegistry } from '../store/supervisor-registry.ts';

/** Supervisors of a state directory that listen; connections are opened on demand and reused. */
export interface Peers {
  /** Lists supervisors that are alive and listen. */
  list(): readonly Peer[];
  ask<M extends AskMethod>(
    peer: Peer,
    request: { readonly method: M; readonly params: ControlParams<M> },
    options?: CallOptions,
  ): Promise<ControlResults[M]>;
  close(): void;
}

export function createPeers(registry: SupervisorRegistry): Peers {
  const pool = new Map<string, Set<Promise<ControlClient>>>();

  const open = (socketPath: string, clients: Set<Promise<ControlClient>>): Promise<ControlClient> => {
    // Loaded on demand: without live supervisors no network module is needed.
    const opened = import('../control/control-client.ts').then(({ connectControl }) =>
      connectControl(socketPath),
    );
    clients.add(opened);
    opened.catch(() => clients.delete(opened));
    return opened;
  };

  return {
    list: () =>
      registry.list().flatMap(({ entry, state }) => (state === 'alive' && isPeer(entry) ? [entry] : [])),
    ask: async ({ socket }, { method, params }, options) => {
      const clients = pool.get(socket) ?? new Set();
      pool.set(socket, clients);
      // Simultaneous callers find what the first of them opens, since a set may grow while it is walked.
      for (const each of clients) {
        const client = await each.catch(() => null);
        if (client === null || client.isClosed) clients.delete(each);
        // Asked in the turn of the check: another caller could fill it.
        else if (!client.isFull) return client.call(method, params, options);
      }
      // The first to hear of a new connection, it finds room.
      const client = await open(socket, clients);
      return client.call(method, params, options);
    },
    close: () => {
      for (const clients of pool.values()) {
        for (const client of clients)
          client.then(
            (opened) => opened.close(),
            () => {},
          );
      }
      pool.clear();
    },
  };
}
