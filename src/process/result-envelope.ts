import type { TreeMember } from '../../machines/process/context.ts';
import { formatDuration } from '../config/duration.ts';
import { shorten } from '../config/quote.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import { describeSurvivors } from '../spawn/tree/describe-survivors.ts';
import { describeEnd, describeLimit } from './describe-end.ts';
import type { FinalView, ProcessView } from './process-view.ts';

/** Short form of the view in a result. */
export interface ProcessBrief {
  readonly id: string;
  readonly status: ProcessView['status'];
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  readonly runtimeMs: number;
}

/** A process that outlived the natural end of its command. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
  /** TCP ports on which it listens, in ascending order; empty where that is unknown. */
  readonly ports: readonly number[];
}

/** Output of a process. Each text has at most `maxReplyBytes`; a longer one keeps head and tail, with a line that counts what is missing. */
export interface PrintedText {
  readonly stdout: string;
  readonly stderr: string;
  /** The output of both streams in the order of arrival, or what was drawn on a terminal. */
  readonly output: string;
  /** True if something is missing in one of these texts. */
  readonly truncated: boolean;
  /** Number of bytes missing in `output`. */
  readonly droppedBytes: number;
}

/** Output and end of a command, whether it succeeded or failed. */
export interface CommandFacts extends PrintedText {
  /** `null` while the command runs, after a signal, and where nothing was started. */
  readonly exitCode: number | null;
  /** `null` unless a signal ended the command. */
  readonly signal: string | null;
  /** Empty until the command has ended. */
  readonly leftovers: readonly Leftover[];
  /** Processes that it may have left running, see `FinalFacts.suspects`. */
  readonly suspects: readonly Leftover[];
}

/**
 * Result of a foreground call. `data` is the stdout of a command that exited with 0; `error` says why it did not. A process of kind `agent`
 * that printed a JSON object with a boolean `ok` sets both with that object; other keys of it are kept, and are in no type.
 */
export type ResultEnvelope = CommandFacts &
  (
    | {
        readonly ok: true;
        /** The stdout, `BackgroundedData` of a process in the background, or what an agent answered. */
        readonly data?: unknown;
        readonly error?: undefined;
        readonly process: ProcessBrief;
      }
    | {
        readonly ok: false;
        readonly data?: undefined;
        /** Text, unless an agent answers otherwise. */
        readonly error?: unknown;
        /** `null` where nothing was started. */
        readonly process: ProcessBrief | null;
      }
  );

/** Data of a result when the process went to the background. */
export interface BackgroundedData {
  /** `pending`: the process waits for a free slot and has not started. */
  readonly status: 'backgrounded' | 'pending';
  readonly processId: string;
  readonly pid: number | null;
  readonly message: string;
  /** Absolute path; `null` where none is kept. */
  readonly logFile: string | null;
}

function toBrief(view: ProcessView): ProcessBrief {
  const exit = 'exit' in view ? view.exit : null;
  return {
    id: view.id,
    status: view.status,
    pid: 'pid' in view ? view.pid : null,
    code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    runtimeMs: 'runtimeMs' in view ? view.runtimeMs : 0,
  };
}

/** JSON object that a process of kind `agent` prints: its answer, or why it has none. */
export type AgentAnswer =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: unknown };

/** Parts of a result: the view, the output, and what was left running. */
export interface ResultParts<View extends ProcessView = ProcessView> {
  readonly view: View;
  readonly printed: PrintedText;
  readonly leftovers: readonly Leftover[];
  readonly suspects: readonly Leftover[];
}

export function toResultEnvelope(parts: ResultParts<FinalView>, answer: AgentAnswer | null): ResultEnvelope {
  const { view, printed } = parts;
  if (view.status !== 'completed') return { ok: false, error: toErrorText(view, printed), ...toFacts(parts) };
  return { ...(answer ?? { ok: true, data: printed.stdout }), ...toFacts(parts) };
}

export function toBackgroundedEnvelope(parts: ResultParts): ResultEnvelope {
  return { ok: true, data: toBackgroundedData(parts.view), ...toFacts(parts) };
}

/**
 * Returns the result of a caller whose wait ended while the process was queued. `holders` are the processes that hold the places, longest
 * first; see `ProcessDeps.slotHolders`. `now` is milliseconds since the epoch. At `onTimeout: 'kill'` and at `maxExecutionTime` the process
 * is cancelled (`timed_out`); else it stays `pending`, and starts in the background as soon as a place is free.
 */
export function toQueuedEnvelope(
  parts: ResultParts,
  { holders, now }: { holders: readonly ProcessView[]; now: number },
): ResultEnvelope {
  const { view } = parts;
  const after = formatDuration(now - view.createdAt);
  const waited = `Process ${view.id} has not started after ${after}${describeHolders(view, { holders, now })}.`;
  if (view.status === 'timed_out') {
    return {
      ok: false,
      error: `${waited} It was cancelled at its time limit and will not start.`,
      ...toFacts(parts),
    };
  }
  const message =
    `${waited} It stays queued and starts in the background when a slot is free. To free a slot, end one of these processes; ` +
    `to cancel it, kill ${view.id}.`;
  const data: BackgroundedData = {
    status: 'pending',
    processId: view.id,
    pid: null,
    message,
    logFile: view.output.logFile,
  };
  return { ok: true, data, ...toFacts(parts) };
}

/** Returns the result of a process that survived its stop and may never end. */
export function toSurvivedEnvelope(parts: ResultParts): ResultEnvelope {
  const { view } = parts;
  const survivors = view.status === 'stopping' ? view.survivors : [];
  const who = describeSurvivors(survivors);
  const error =
    `Process ${view.id} was stopped and is not gone${who === '' ? '' : `: still alive: ${who}`}. ` +
    'It stays "stopping" and is watched.';
  return { ok: false, error, ...toFacts(parts) };
}

/** Returns the result of a start that was refused. */
export function toRefusedEnvelope(error: string): ResultEnvelope {
  const nothing = { stdout: '', stderr: '', output: '', truncated: false, droppedBytes: 0 };
  return {
    ok: false,
    error,
    ...nothing,
    exitCode: null,
    signal: null,
    leftovers: [],
    suspects: [],
    process: null,
  };
}

/** Returns the leftovers and suspects of an ended process, with the ports on which each listens. */
export async function toLiving(
  view: ProcessView,
  findPorts: (pids: readonly number[]) => Promise<readonly number[]>,
): Promise<Pick<ResultParts, 'leftovers' | 'suspects'>> {
  if (!('leftovers' in view)) return { leftovers: [], suspects: [] };
  const { leftovers, suspects } = view;
  // Most listen on no port: then the sockets of the machine are read only once.
  const isServing = (await findPorts([...leftovers, ...suspects].map(({ pid }) => pid))).length > 0;
  const toLeftovers = async (members: readonly TreeMember[]) => {
    const found: Leftover[] = [];
    for (const { pid, command } of members)
      found.push({ pid, command, ports: isServing ? await findPorts([pid]) : [] });
    return found;
  };
  return { leftovers: await toLeftovers(leftovers), suspects: await toLeftovers(suspects) };
}

function toFacts({
  view,
  printed,
  leftovers,
  suspects,
}: ResultParts): CommandFacts & { readonly process: ProcessBrief } {
  const process = toBrief(view);
  return { ...printed, exitCode: process.code, signal: process.signal, leftovers, suspects, process };
}

function toErrorText(view: FinalView, { stdout, stderr }: PrintedText): string {
  if (view.reason.type === 'exited') {
    const gaveUp = view.restarts === 0 ? '' : `Gave up after ${view.restarts} restarts. `;
    return gaveUp + (stderr || stdout || `Process exited with code ${view.reason.code}`);
  }
  const words = `Process ${view.id} ${describeEnd(view.reason, view.exit)}`;
  const said = stderr || stdout;
  return said === '' ? words : `${words}\n${said}`;
}

function toBackgroundedData(view: ProcessView): BackgroundedData {
  const log = view.output.logFile;
  const state =
    view.status === 'restarting'
      ? `It ended (${describeEnd(view.reason, null)}) and will be restarted`
      : `Still running after ${formatDuration('runtimeMs' in view ? view.runtimeMs : 0)}`;
  const words = [
    `${state}: it continues in the background as ${view.id}.`,
    `Its output so far is kept: read it with this id${log === null ? '' : `, or in ${log}`}.`,
    ...describeLimit(view),
  ];
  return {
    status: 'backgrounded',
    processId: view.id,
    pid: 'pid' in view ? view.pid : null,
    message: words.join(' '),
    logFile: log,
  };
}

function describeHolders(
  { kind }: ProcessView,
  { holders, now }: { holders: readonly ProcessView[]; now: number },
): string {
  if (holders.length === 0) return '';
  const places = kind === 'agent' ? 'agents' : 'foreground commands';
  const each = holders.map((holder) => {
    const since = formatDuration(
      now - ('startedAt' in holder ? (holder.startedAt ?? now) : holder.createdAt),
    );
    return `${holder.id} (${shorten(holder.commandLine, 80)}, for ${since})`;
  });
  return `: all ${holders.length} slots for ${places} are taken by ${each.join(', ')}`;
}

/** Reads the output for a result: a text that is too long for one read keeps head and tail. */
export async function readPrinted(
  read: (options: ReadOptions) => OutputRead | Promise<OutputRead>,
): Promise<PrintedText> {
  const all = await read({ format: 'raw' });
  const { stdout: fromStdout, stderr: fromStderr, screen: fromScreen } = all.positions;
  const readOne = (stream: 'stdout' | 'stderr', isAll: boolean) =>
    isAll ? all : read({ stream, format: 'raw' });
  // Most commands use one stream, and a large one is costly to read twice.
  const stdout = await readOne('stdout', fromStderr === 0 && fromScreen === 0);
  const stderr = await readOne('stderr', fromStdout === 0 && fromScreen === 0 && fromStderr > 0);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    output: all.text,
    truncated: [stdout, stderr, all].some(({ truncated, droppedBytes }) => truncated || droppedBytes > 0),
    droppedBytes: all.omittedBytes,
  };
}
