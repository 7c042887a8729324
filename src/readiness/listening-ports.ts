import { createCurrentSockets } from './current-sockets.ts';

/** Returns the TCP ports on which these processes listen; empty if they cannot be determined. */
export async function findListeningPorts(pids: readonly number[]): Promise<readonly number[]> {
  if (pids.length === 0) return [];
  try {
    return await createCurrentSockets().portsOf(pids);
  } catch {
    return [];
  }
}
