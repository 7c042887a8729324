import type { ListeningSocket, PortHolder, SocketTable } from './listening-sockets.ts';

/** Whose a port is, seen from one process tree. */
export type PortState =
  /** Nobody listens, or it cannot be told who. */
  | { readonly type: 'free' }
  | { readonly type: 'ours' }
  | { readonly type: 'taken'; readonly holder: PortHolder };

interface TreePortOptions {
  readonly port: number;
  readonly sockets: SocketTable;
  readonly treePids: () => Promise<readonly number[]>;
  /** Whether a socket of the tree at this address is what is waited for. */
  readonly serves: (address: string) => boolean;
  /** Whether somebody else's socket at this address is in the way. */
  readonly disturbs: (address: string) => boolean;
  /** Whether the tree's socket counts while another is in the way. */
  readonly sharing: 'allowed' | 'refused';
}

/**
 * Looks whose a port is. Somebody else's it is only when two looks in a row say so: a member of the tree that was born between
 * reading the sockets and reading the tree is known at the second.
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
