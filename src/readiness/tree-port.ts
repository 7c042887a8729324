import type { ListeningSocket, PortHolder, SocketTable } from './listening-sockets.ts';

/** State of a port as seen from one process tree. */
export type PortState =
  /** No listener, or an unknown one. */
  | { readonly type: 'free' }
  | { readonly type: 'ours' }
  | { readonly type: 'taken'; readonly holder: PortHolder };

interface TreePortOptions {
  readonly port: number;
  readonly sockets: SocketTable;
  readonly treePids: () => Promise<readonly number[]>;
  /** Returns `true` if a socket of the tree at this address is the expected one. */
  readonly serves: (address: string) => boolean;
  /** Returns `true` if a socket of another process at this address blocks the port. */
  readonly disturbs: (address: string) => boolean;
  /** `allowed` if the socket of the tree counts although another process blocks the port. */
  readonly sharing: 'allowed' | 'refused';
}

/**
 * Creates a function that determines the state of a port. Another process counts as its holder only after two looks in a row, because
 * the first may miss a new member of the tree.
 */
export function createTreePort(options: TreePortOptions): () => Promise<PortState> {
  const { port, sockets, treePids, serves, disturbs, sharing } = options;
  let wasForeign = false;

  async function look(): Promise<PortState> {
    const listening = await sockets.listening(port);
    if (listening.length === 0) return { type: 'free' };
    const pids = await treePids();
    const answers = await Promise.all(listening.map((socket) => socket.isHeldBy(pids)));
    const isServed = listening.some(({ address }, index) => answers[index] === 'yes' && serves(address));
    const foreign = listening.filter(({ address }, index) => answers[index] === 'no' && disturbs(address));
    if (isServed && (sharing === 'allowed' || foreign.length === 0)) return { type: 'ours' };
    return toTaken(foreign);
  }

  return async () => {
    const state = await look();
    const isCertain = wasForeign;
    wasForeign = state.type === 'taken';
    return state.type === 'taken' && !isCertain ? { type: 'free' } : state;
  };
}

async function toTaken(foreign: readonly ListeningSocket[]): Promise<PortState> {
  for (const socket of foreign) {
    const holder = await socket.findHolder();
    if (holder !== null) return { type: 'taken', holder };
  }
  return { type: 'free' };
}
