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
  const pool = new Map<string, Promise<ControlClient>[]>();

  /** Picks a connection with free capacity; waiting for many processes needs more than one. */
  const pick = async (socketPath: string): Promise<ControlClient> => {
    while (true) {
      const pending = pool.get(socketPath) ?? [];
      for (const each of pending) {
        const client = await each.catch(() => null);
        if (client !== null && !client.isClosed && !client.isFull) return client;
        if (client === null || client.isClosed) remove(socketPath, each);
      }
      // Loaded on demand: without live supervisors no network module is needed.
      const opened = import('../control/control-client.ts').then(({ connectControl }) =>
        connectControl(socketPath),
      );
      pool.set(socketPath, [...(pool.get(socketPath) ?? []), opened]);
      opened.catch(() => remove(socketPath, opened));
      const client = await opened;
      // Other callers of the same connection may have filled it.
      if (!client.isFull) return client;
    }
  };
  const remove = (socketPath: string, client: Promise<ControlClient>) => {
    pool.set(
      socketPath,
      (pool.get(socketPath) ?? []).filter((each) => each !== client),
    );
  };

  return {
    list: () =>
      registry.list().flatMap(({ entry, state }) => (state === 'alive' && isPeer(entry) ? [entry] : [])),
    ask: async (peer, { method, params }, options) => (await pick(peer.socket)).call(method, params, options),
    close: () => {
      for (const clients of pool.values()) {
        for (const client of clients)
          client.then(
            (open) => open.close(),
            () => {},
          );
      }
      pool.clear();
    },
  };
}
