import { randomUUID } from 'node:crypto';
import { toErrorText } from '../../config/error-text.ts';
import type { BackendPort, SpawnRequest } from '../backend.ts';
import { writeState } from './attempt-records.ts';
import { type AttemptName, type AttemptState, type StartOrder, subjects } from './protocol.ts';
import type { Session } from './remote-hosts.ts';
import { pause, toMessageBytes } from './servers.ts';

const RETRY_MS = 300;
/** Bytes that the servers need beside the text of an order. */
const HEAD_BYTES = 1_024;
/** The servers drop older orders. */
const MAX_ORDER_AGE_MS = 20 * 3_600_000;

/**
 * Puts an attempt into the queue of its pool. Repeats that until the servers have stored it: the claim of a worker refuses a second start.
 * Rejects with the reason where they refuse it.
 */
export async function orderStart(
  { servers, asker }: Pick<Session, 'servers' | 'asker'>,
  { name, request }: { readonly name: AttemptName; readonly request: SpawnRequest },
): Promise<void> {
  const { jetstream, connection } = servers;
  const { pool, order } = toOrder({ asker, name, request });
  const text = JSON.stringify(order);
  const bytes = Buffer.byteLength(text) + HEAD_BYTES;
  const limit = toMessageBytes(connection);
  if (bytes > limit)
    throw new Error(`its command and environment take ${bytes} bytes, and the servers take ${limit}`);
  // Not the name of the attempt: an order of another tenant could have that id, and this one would count as its repetition.
  const msgID = randomUUID();
  while (true) {
    try {
      await jetstream.publish(subjects.start({ pool, tenant: name.tenant }), text, { msgID });
      return;
    } catch (error) {
      if (connection.isClosed() || isRefusal(error)) throw error;
      await pause(RETRY_MS);
    }
  }
}

/**
 * Orders a start again if it has no record: its first order was lost, or still waits. A process that is known to have started, or is so old
 * that its record may have expired, is called lost instead, since another start would be its second. A record that exists after all wins.
 */
export async function orderAgain(
  { servers, asker }: Pick<Session, 'servers' | 'asker'>,
  { name, port }: { readonly name: AttemptName; readonly port: BackendPort },
): Promise<AttemptState | null> {
  const { request, clock, startedAtMs } = port;
  const ageMs = clock.epochMs() - (request.portable?.orderedAt ?? 0);
  if (startedAtMs !== undefined || ageMs > MAX_ORDER_AGE_MS) {
    const why = 'the servers know nothing of it any more, so how it ended is unknown';
    const lost = { state: 'lost', worker: 'unknown', why } as const;
    return (await writeState(servers, { name, state: lost, after: 0 })).state;
  }
  await orderStart({ servers, asker }, { name, request });
  return null;
}

function toOrder({
  asker,
  name: { id, attempt },
  request,
}: {
  readonly asker: string;
  readonly name: AttemptName;
  readonly request: SpawnRequest;
}): { readonly pool: string; readonly order: StartOrder } {
  const { portable, work, outlives, cwd, stdin, terminal, limits } = request;
  if (portable === undefined || work.type === 'function' || work.type === 'worker')
    throw new Error(`a ${work.type} cannot be sent`);
  const { pool, identity, owner, depth, overrides, hints } = portable;
  const where = { cwd, identity, owner, depth, overrides, hints };
  return { pool, order: { id, attempt, asker, outlives, work, stdin, terminal, limits, ...where } };
}

function isRefusal(error: unknown): boolean {
  return /maximum|permission|stream not found/i.test(toErrorText(error));
}
