import { randomUUID } from 'node:crypto';
import { type AttemptName, type AttemptState, isFinalState, subjects, toKey } from './protocol.ts';
import { KEPT_HOURS, pause, type Servers } from './servers.ts';

/** The state of an attempt, and the revision at which it was read or written. */
export interface AttemptRecord {
  readonly state: AttemptState;
  readonly revision: number;
}

/** Outcome of a write: `isOurs` is `false` where another write came first, whose record is the result. */
export interface WrittenRecord extends AttemptRecord {
  readonly isOurs: boolean;
}

type Bucket = Pick<Servers, 'attempts' | 'jetstream' | 'connection'>;

const RETRY_MS = 200;

/**
 * Writes the state of an attempt if it still has the revision `after`; 0 where none may exist. Repeats the write until the servers answer. After
 * a lost answer, the nonce in the record tells whether the write succeeded.
 */
export async function writeState(
  servers: Bucket,
  {
    name,
    state,
    after,
  }: { readonly name: AttemptName; readonly state: AttemptState; readonly after: number },
): Promise<WrittenRecord> {
  const nonce = randomUUID();
  const subject = subjects.record(name);
  const options = {
    expect: { lastSubjectSequence: after },
    ...(isFinalState(state) && { ttl: `${KEPT_HOURS}h` }),
  };
  while (true) {
    try {
      const { seq } = await servers.jetstream.publish(subject, JSON.stringify({ ...state, nonce }), options);
      return { isOurs: true, state, revision: seq };
    } catch (error) {
      if (servers.connection.isClosed()) throw error;
    }
    try {
      const current = await readState(servers, name);
      if (current?.nonce === nonce) return { ...current, isOurs: true };
      // An older one comes from a server that is behind.
      if (current !== null && current.revision > after) return { ...current, isOurs: false };
    } catch (error) {
      if (servers.connection.isClosed()) throw error;
    }
    await pause(RETRY_MS);
  }
}

/** Reads the state of an attempt; `null` where none is kept. @throws where the servers do not answer. */
export async function readState(
  { attempts }: Pick<Servers, 'attempts'>,
  name: AttemptName,
): Promise<(AttemptRecord & { readonly nonce: string }) | null> {
  const entry = await attempts.get(toKey(name));
  if (entry === null || entry.operation !== 'PUT') return null;
  const { nonce, ...state } = entry.json<AttemptState & { readonly nonce: string }>();
  return { state: state as AttemptState, revision: entry.revision, nonce };
}
