import { createCurrentSockets } from './current-sockets.ts';
import type { PortHolder } from './listening-sockets.ts';

/** Finds the process that listens on a TCP port of this machine, on any address; `null` if there is none. */
export async function findPortHolder(port: number): Promise<PortHolder | null> {
  for (const socket of await createCurrentSockets().listening(port)) {
    const holder = await socket.findHolder();
    if (holder !== null) return holder;
  }
  return null;
}

/** Returns text such as `pid 4711 (node server.js)`. */
function describeHolder({ pid, command }: PortHolder): string {
  const short = command.length > 120 ? `${command.slice(0, 119)}…` : command;
  return pid === null ? `a process that troupe may not see (${short})` : `pid ${pid} (${short})`;
}

/** Explains why a process cannot become ready on a port, and what to do about it. */
export function describeTaken(port: number, holder: PortHolder): string {
  return (
    `port ${port} is held by another process, ${describeHolder(holder)}: end that one, or give this one another port. ` +
    'Where another process is meant to serve for this one, wait for a line of its output instead.'
  );
}
