import { TroupeError } from '../config/troupe-error.ts';
import { connectControl } from '../control/control-client.ts';
import { isPeer } from '../control/protocol.ts';
import type { Ask } from '../policy/authorize.ts';
import { createFileSupervisorRegistry } from '../store/file-supervisor-registry.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/**
 * Environment variable with the supervisor of the agent above, for a delegate in a program of its own: a person is
 * asked through its control socket.
 */
export const ASK_VARIABLE = 'TROUPE_ASK';

/** Returns its value; `null` for a supervisor without a control socket. */
export function toAskText({ id, stateDirectory }: Pick<Supervisor, 'id' | 'stateDirectory'>): string | null {
  return stateDirectory === null ? null : JSON.stringify([stateDirectory, id]);
}

/**
 * Returns a function that asks the person in front of the agent above, in another program; `null` where none is named.
 * An unreadable value asks no person, so the answer is a denial.
 */
export function readAskParent(env: Readonly<Record<string, string | undefined>>): Ask | null {
  const place = parsePlace(env[ASK_VARIABLE]);
  if (place === null) return null;
  return async (question, signal) => {
    const client = await connectControl(findSocket(place));
    try {
      return await client.call('askPermission', { question }, { signal });
    } finally {
      client.close();
    }
  };
}

interface Place {
  readonly directory: string;
  readonly id: string;
}

function parsePlace(text: string | undefined): Place | null {
  if (text === undefined) return null;
  try {
    const [directory, id] = JSON.parse(text) as readonly unknown[];
    return typeof directory === 'string' && typeof id === 'string' ? { directory, id } : null;
  } catch {
    return null;
  }
}

function findSocket({ directory, id }: Place): string {
  const found = createFileSupervisorRegistry({ directory })
    .list()
    .find(({ entry, state }) => entry.id === id && state === 'alive');
  if (found !== undefined && isPeer(found.entry)) return found.entry.socket;
  const message = `The agent above, which could ask a person, cannot be reached: its supervisor ${id} is gone or does not listen.`;
  throw new TroupeError({ code: 'unreachable', message });
}
