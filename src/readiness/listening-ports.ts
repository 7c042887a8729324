import { createCurrentSockets } from './current-sockets.ts';

/** The TCP ports on which these processes listen; none where that cannot be told. */
export async function findListeningPorts(pids: readonly number[]): Promise<readonly number[]> {
  if (pids.length === 0) return [];
  try {
    return await createCurrentSockets().portsOf(pids);
  } catch {
    return [];
  }
}
