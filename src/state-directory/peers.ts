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

/** The supervisors of a state directory, as far as they listen; connections are made when they are needed, and kept. */
export interface Peers {
  /** Those that are alive and listen. */
  list(): readonly Peer[];
  ask<M extends AskMethod>(
    peer: Peer,
    request: { readonly method: M; readonly params: ControlParams<M> },
    options?: CallOptions,
  ): Promise<ControlResults[M]>;
  close(): void;
}

export function createPeers(roll: SupervisorRegistry): Peers {
  const pool = new Map<string, Promise<ControlClient>[]>();

  /** One with room: waiting for many ends at once takes more than one. */
  const pick = async (socketPath: string): Promise<ControlClient> => {
    while (true) {
      const pending = pool.get(socketPath) ?? [];
      for (const each of pending) {
        const client = await each.catch(() => null);
        if (client !== null && !client.isClosed && !client.isFull) return client;
        if (client === null || client.isClosed) remove(socketPath, each);
      }
      // Where nobody is alive, no network is loaded.
      const opened = import('../control/control-client.ts').then(({ connectControl }) =>
        connectControl(socketPath),
      );
      pool.set(socketPath, [...(pool.get(socketPath) ?? []), opened]);
      opened.catch(() => remove(socketPath, opened));
      const client = await opened;
      // Others that waited for the same connection may have filled it.
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
      roll.list().flatMap(({ entry, state }) => (state === 'alive' && isPeer(entry) ? [entry] : [])),
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
