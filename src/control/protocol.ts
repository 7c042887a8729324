import type { z } from 'zod';
import type { WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer } from '../../machines/process/terminal.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import type { OutputTimes } from '../output/output-times.ts';
import type { OutputRead } from '../output/read-output.ts';
import type { Consent } from '../policy/authorize.ts';
import type { KillAnswer, SignalAnswer } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { TimelineEntry } from '../process/timeline.ts';
import type { Waited } from '../process/waited.ts';
import type { ScheduleView } from '../schedules/schedule.ts';
import type { SupervisorEntry } from '../store/supervisor-registry.ts';
import type { RuntimeEvent } from '../supervisor/runtime-event.ts';
import type { WatchNews, WatchView } from '../watches/watch.ts';
import type { requestParams } from './request-params.ts';

/**
 * Version of the control protocol: one JSON value per line in either direction, each with the version. A client
 * numbers its requests; each is answered once with `result` or `error`, in any order. A stream sends `item`s first.
 * This module does not load zod, which clients do not need.
 */
export const PROTOCOL_VERSION = 1;

/** Longest line that a supervisor accepts. Replies may be longer. */
export const MAX_REQUEST_BYTES = 1024 * 1024;

/** Maximum number of concurrent requests per client. */
export const MAX_REQUESTS = 64;

/** Maximum number of concurrent clients. */
export const MAX_CLIENTS = 256;

/** Maximum output in one item, and a good size for a `write`. */
export const MAX_PIECE_BYTES = 64 * 1024;

export type ControlMethod = keyof typeof requestParams;

/** Methods that send items before their result. */
export type StreamMethod = keyof ControlItems;

/** Methods that are answered once. */
export type AskMethod = Exclude<ControlMethod, StreamMethod | 'cancel'>;

export type ControlParams<M extends ControlMethod> = z.input<(typeof requestParams)[M]>;

export interface ControlResults {
  readonly hello: Hello;
  readonly list: readonly ProcessView[];
  readonly show: { readonly view: ProcessView; readonly timeline: readonly TimelineEntry[] };
  readonly read: OutputRead;
  readonly times: OutputTimes;
  /** Sent after all items. */
  readonly follow: null;
  readonly wait: FinalView;
  readonly waitFor: Waited;
  readonly kill: KillAnswer;
  readonly write: WriteResult;
  readonly endInput: WriteResult;
  readonly capture: CaptureAnswer;
  readonly sendKeys: WriteResult;
  readonly paste: WriteResult;
  readonly resize: WriteResult;
  readonly writeSecret: WriteResult;
  /** Sent after all items: the process has ended, or the last item says why the watch is over. */
  readonly watch: null;
  /** Never sent: the stream lasts until the client leaves. */
  readonly events: null;
  readonly unwatch: boolean;
  readonly watches: readonly WatchView[];
  /** `isHeard`: whether a program currently listens as its owner. */
  readonly schedule: ScheduleView & { readonly isHeard: boolean };
  readonly unschedule: boolean;
  readonly schedules: readonly ScheduleView[];
  readonly signal: SignalAnswer;
  readonly pause: SignalAnswer;
  readonly resume: SignalAnswer;
  readonly restart: boolean;
  readonly background: boolean;
  readonly changeLimits: boolean;
  readonly start: ProcessView;
  readonly askPermission: Consent;
  /** Sent after all items: the server has closed the connection. */
  readonly mcp: null;
  readonly mcpMessage: null;
  readonly sweep: { readonly forgotten: number; readonly logsRemoved: number };
  /** Shutdown has begun; the connection ends with it. */
  readonly shutdown: null;
  /** Tells whether the request was still in progress. It receives no answer. */
  readonly cancel: boolean;
}

export interface Hello {
  readonly supervisorId: string;
  readonly role: SupervisorEntry['role'];
  readonly pid: number;
  readonly cwd: string;
}

export interface ControlItems {
  readonly follow: FollowItem;
  readonly watch: WatchNews;
  readonly events: ReportedEvent;
  readonly mcp: McpItem;
}

/** The channel for the client's messages comes first, then the messages to it. */
export type McpItem = { readonly channel: string } | { readonly message: Readonly<Record<string, unknown>> };

/**
 * An event of a supervisor as JSON: `error` is its text. Of one that happened before the request `process` is the view at the time of the
 * request, and there may be the `by` and `detail` of its timeline.
 */
export type ReportedEvent =
  | (Exclude<RuntimeEvent, { readonly error: unknown }> & Pick<TimelineEntry, 'detail'>)
  | {
      readonly type: 'process.faulted';
      readonly at: number;
      readonly process: ProcessView;
      readonly error: string;
    }
  | {
      readonly type: 'supervisor.faulted';
      readonly at: number;
      readonly error: string;
      readonly times: number;
    }
  | (TimelineEntry & { readonly process: ProcessView })
  /** The client was too slow: so many events before this one are missing. */
  | { readonly type: 'events.dropped'; readonly at: number; readonly count: number };

export interface FollowItem {
  readonly stream: 'stdout' | 'stderr' | 'screen';
  readonly offset: number;
  /** Bytes missing directly before this item. A gap is sent alone, without bytes, as soon as it is known. */
  readonly droppedBytes: number;
  /** Base64. */
  readonly bytes: string;
}

export interface ControlRequest {
  readonly v: number;
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

export interface ControlFault {
  readonly code: TroupeErrorCode;
  readonly message: string;
}

export type ControlReply = { readonly v: typeof PROTOCOL_VERSION } & (
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly item: unknown }
  /** `id` is `null` where the request had none that could be read. */
  | { readonly id: number | null; readonly error: ControlFault }
);

export function toLine(value: ControlReply | ControlRequest): string {
  return `${JSON.stringify(value)}\n`;
}

export interface CallOptions {
  /** Deadline for the answer. Default: none. */
  readonly deadlineMs?: number;
  /** Interval of liveness checks while an answer takes long; the supervisor must respond before the next one. */
  readonly pulseMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Options for asking many supervisors at once: those that miss this deadline are passed over. */
export const PROMPT: CallOptions = { deadlineMs: 2_000 };
/** Options for calls that are answered at once. */
export const QUICK: CallOptions = { deadlineMs: 5_000 };
/** Options for calls that take as long as a process or a person needs; the supervisor must stay responsive meanwhile. */
export const LONG: CallOptions = { pulseMs: 3_000 };

/** The owner of processes started from a shell. The daemon takes over its processes, and those of owners below it. */
export const SHELL_OWNER = 'shell';

/** Returns whether the daemon takes over the processes of this owner. */
export function isDaemonOwner(owner: string): boolean {
  return owner === SHELL_OWNER || owner.startsWith(`${SHELL_OWNER}/`);
}

/** A supervisor that listens on a control socket. */
export type Peer = SupervisorEntry & { readonly socket: string };

export function isPeer(entry: SupervisorEntry): entry is Peer {
  return entry.socket !== null;
}

export function isCode(error: unknown, code: TroupeErrorCode): boolean {
  return error instanceof TroupeError && error.code === code;
}

/** Explains a version mismatch and what to do. */
export function describeVersions({ theirs, ours }: { theirs: unknown; ours: string }): string {
  const said = typeof theirs === 'number' ? `version ${theirs}` : 'no known version';
  return `${ours} speaks version ${PROTOCOL_VERSION} of the control protocol, the other side ${said}. Use the same troupe on both sides: end the older program, or install the version it was started with.`;
}

const NEWLINE = 10;

/** Reassembles lines from chunks of bytes. */
interface LineReader {
  /** Returns the lines that these bytes complete, without line feeds; `null` once a line exceeds the limit. */
  push(chunk: Uint8Array): readonly Uint8Array[] | null;
}

export function createLineReader(maxBytes: number): LineReader {
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const take = (rest: Uint8Array): Uint8Array => {
    if (held.length === 0) return rest;
    const line = Buffer.concat([...held, rest]);
    held = [];
    heldBytes = 0;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: Uint8Array[] = [];
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        if (heldBytes + end - from > maxBytes) return null;
        lines.push(take(chunk.subarray(from, end)));
        from = end + 1;
      }
      if (from < chunk.byteLength) {
        held.push(chunk.subarray(from));
        heldBytes += chunk.byteLength - from;
      }
      return heldBytes > maxBytes ? null : lines;
    },
  };
}
