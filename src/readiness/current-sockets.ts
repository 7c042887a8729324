import type { SocketTable } from './listening-sockets.ts';
import { createLsofSockets } from './lsof-sockets.ts';
import { createProcSockets } from './proc-sockets.ts';

/** Creates the socket table of this machine. */
export function createCurrentSockets(platform: NodeJS.Platform = process.platform): SocketTable {
  return platform === 'linux' ? createProcSockets() : createLsofSockets();
}
