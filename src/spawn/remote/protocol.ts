import { deflateSync, inflateSync } from 'node:zlib';
import type { BackendCommand, SignalOutcome, WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture, TerminalSize } from '../../../machines/process/terminal.ts';
import type { AppliedLimits } from '../../config/resource-limits.ts';
import type { OutputStream } from '../../output/output-sink.ts';
import type { ToldFact, Work } from '../backend.ts';
import type { Hints } from '../environment.ts';

/** Names of streams and buckets; their subjects begin with `troupe.`, or `$KV.` for buckets. */
export const streams = {
  /** Orders to start, a work queue. */
  starts: 'troupe_starts',
  /** Output and facts of all attempts. */
  logs: 'troupe_logs',
  /** Bucket with the state of each attempt. */
  attempts: 'troupe_attempts',
  /** Bucket of workers and askers that are alive. */
  peers: 'troupe_peers',
} as const;

/** Prefix under which an account without JetStream imports that of another one: `$JS.API` would be its own. */
export const importedApi = 'JS.TROUPE.API';

/** Name of an attempt of a process on another host in subjects and keys. */
export interface AttemptName {
  readonly tenant: string;
  readonly id: string;
  readonly attempt: number;
}

export const subjects = {
  start: ({ pool, tenant }: { readonly pool: string; readonly tenant: string }) =>
    `troupe.start.${pool}.${tenant}`,
  log: (name: AttemptName) => `troupe.log.${toKey(name)}`,
  /** Requests to a worker about attempts of a tenant. */
  control: ({ worker, tenant }: { readonly worker: string; readonly tenant: string }) =>
    `troupe.control.${worker}.${tenant}`,
  /** State of an attempt. */
  record: (name: AttemptName) => `$KV.${streams.attempts}.${toKey(name)}`,
  /** Beats of a peer. */
  beat: (key: string) => `$KV.${streams.peers}.${key}`,
  /** Facts of an attempt that had been called lost. */
  late: (name: AttemptName) => `troupe.late.${toKey(name)}`,
};

/** Returns the key of an attempt in the bucket of attempts. */
export function toKey({ tenant, id, attempt }: AttemptName): string {
  return `${tenant}.${id}.${attempt}`;
}

/** Returns the key of a worker or asker in the bucket of peers. */
export function toPeerKey(kind: 'worker' | 'asker', id: string): string {
  return `${kind}.${id}`;
}

/** Content of a worker's beats. */
export interface WorkerBeat {
  readonly running: number;
  readonly capacity: number;
  readonly pools: readonly string[];
  /** True once it takes no more orders. */
  readonly isDraining: boolean;
}

/** Order to start an attempt. Its tenant is in its subject, where the servers check it. */
export interface StartOrder {
  readonly id: string;
  readonly attempt: number;
  /** See `PortableRequest`. */
  readonly identity: string;
  /** Peer that asked; a process that may not outlive it ends with it. */
  readonly asker: string;
  readonly outlives: boolean;
  readonly owner: string;
  readonly depth: number;
  readonly work: Extract<Work, { type: 'argv' | 'shell' }>;
  /** Relative to the directory of the worker. */
  readonly cwd: string;
  /** Additions to the environment of the worker; `null` removes a variable. */
  readonly overrides: Readonly<Record<string, string | null>>;
  readonly hints: Hints;
  readonly stdin: 'end' | 'pipe';
  readonly terminal: TerminalSize | null;
  readonly limits: AppliedLimits | null;
}

/** State of an attempt in its record. The first write claims it; the last three are final, and the servers accept one of them. */
export type AttemptState =
  | { readonly state: 'claimed'; readonly worker: string; readonly identity: string }
  | {
      readonly state: 'running';
      readonly worker: string;
      readonly identity: string;
      readonly pid: number | null;
      /** Milliseconds since the epoch, by the clock of the worker. */
      readonly startedAt: number;
    }
  | {
      readonly state: 'ended';
      readonly worker: string;
      readonly identity: string;
      /** Number of entries in the log up to here. */
      readonly entries: number;
    }
  | { readonly state: 'lost'; readonly worker: string; readonly why: string }
  /** Cancelled by its asker before a worker took it. */
  | { readonly state: 'cancelled' };

export type FinalState = Extract<AttemptState, { state: 'ended' | 'lost' | 'cancelled' }>;

export function isFinalState(state: AttemptState): state is FinalState {
  return state.state === 'ended' || state.state === 'lost' || state.state === 'cancelled';
}

/** An entry of the log of an attempt: output, a fact of its backend, or the last screen. */
export type LogEntry = EntryPlace & EntryContent;

export type EntryContent =
  | { readonly type: 'output'; readonly stream: OutputStream; readonly bytes: Uint8Array }
  | { readonly type: 'fact'; readonly fact: LoggedFact }
  | { readonly type: 'screen'; readonly screen: ScreenCapture };

/** A fact of the backend on the worker, or of the worker itself. */
export type LoggedFact =
  | ToldFact
  /** The first entry: a worker has taken the order of the process with this identity. */
  | { readonly type: 'attempt.claimed'; readonly worker: string; readonly identity: string }
  /** Output and exit are complete. Facts of leftovers may follow. */
  | { readonly type: 'attempt.ended' };

interface EntryPlace {
  /** Counts the entries of an attempt from 1. Entries may be stored in another order. */
  readonly number: number;
  /** Position in the stream behind which this entry and all later ones are stored. */
  readonly after: number;
  /** Number of the entries that were stored, without a gap, when this one was sent. */
  readonly stored: number;
  /** Bytes of output in the entries before. */
  readonly offset: number;
}

const kinds = ['stdout', 'stderr', 'screen', 'fact', 'lastScreen'] as const;
/** Bytes of an entry before its content. */
export const HEAD_BYTES = 33;
/** Added to the kind of content that is compressed. */
const DEFLATED = 128;
/** JSON above this is compressed: the screen of a large terminal, or the members of a large tree, would exceed a message. */
const DEFLATE_FROM_BYTES = 64 * 1024;

/** Encodes an entry: a kind, four numbers, and the content. */
export function encodeEntry(entry: LogEntry): Uint8Array {
  const plain =
    entry.type === 'output'
      ? entry.bytes
      : Buffer.from(JSON.stringify(entry.type === 'fact' ? entry.fact : entry.screen));
  const kind = entry.type === 'output' ? entry.stream : entry.type === 'fact' ? 'fact' : 'lastScreen';
  const isDeflated = entry.type !== 'output' && plain.byteLength > DEFLATE_FROM_BYTES;
  const content = isDeflated ? deflateSync(plain) : plain;
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + content.byteLength);
  bytes[0] = kinds.indexOf(kind) + (isDeflated ? DEFLATED : 0);
  bytes.writeDoubleLE(entry.number, 1);
  bytes.writeDoubleLE(entry.after, 9);
  bytes.writeDoubleLE(entry.stored, 17);
  bytes.writeDoubleLE(entry.offset, 25);
  bytes.set(content, HEAD_BYTES);
  return bytes;
}

/** Decodes an entry; `null` for bytes that are none. */
export function decodeEntry(data: Uint8Array): LogEntry | null {
  if (data.byteLength < HEAD_BYTES) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [code = -1] = bytes;
  const isDeflated = code >= DEFLATED;
  const kind = kinds[isDeflated ? code - DEFLATED : code];
  if (kind === undefined) return null;
  const place = {
    number: bytes.readDoubleLE(1),
    after: bytes.readDoubleLE(9),
    stored: bytes.readDoubleLE(17),
    offset: bytes.readDoubleLE(25),
  };
  const content = bytes.subarray(HEAD_BYTES);
  if (kind !== 'fact' && kind !== 'lastScreen')
    return { ...place, type: 'output', stream: kind, bytes: content };
  try {
    const parsed = JSON.parse((isDeflated ? inflateSync(content) : content).toString('utf8'));
    return {
      ...place,
      ...(kind === 'fact' ? { type: 'fact', fact: parsed } : { type: 'screen', screen: parsed }),
    };
  } catch {
    return null;
  }
}

type WithoutReply<C> = C extends unknown ? Omit<C, 'reply'> : never;

/** Command to an attempt as it is sent; the answer is the reply. */
export type SentCommand = WithoutReply<Exclude<BackendCommand, { type: 'start.cancel' }>>;

/** Request to a worker. `attempt.release`: the asker follows the attempt no longer. */
export interface ControlRequest {
  readonly id: string;
  readonly attempt: number;
  readonly command: SentCommand | { readonly type: 'attempt.release' };
}

/** Answer of a worker: `gone` where it has no such attempt, `taken` for commands whose outcome is a fact in the log. */
export type ControlAnswer =
  | { readonly type: 'gone' }
  | { readonly type: 'taken' }
  | { readonly type: 'replied'; readonly reply: SignalOutcome | WriteResult | CaptureAnswer };

/** Encodes a request: a line of JSON, and the bytes of a write behind it. */
export function encodeRequest(request: ControlRequest): Uint8Array {
  const { command } = request;
  if (command.type !== 'process.write') return Buffer.from(JSON.stringify(request));
  const { data, ...rest } = command;
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...request, command: rest })}\n`), data]);
}

/** @throws SyntaxError for bytes that are no request. */
export function decodeRequest(bytes: Uint8Array): ControlRequest {
  const end = bytes.indexOf(10);
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, end === -1 ? bytes.byteLength : end);
  const request = JSON.parse(line.toString('utf8')) as ControlRequest;
  if (end === -1) return request;
  return { ...request, command: { ...request.command, data: bytes.subarray(end + 1) } as SentCommand };
}
