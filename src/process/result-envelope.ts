import { formatDuration } from '../config/duration.ts';
import { shorten } from '../config/shorten.ts';
import { describeEnd } from './end-text.ts';
import type { FinalView, ProcessView } from './process-view.ts';

/** The view's short form that stands beside a result. */
export interface ProcessBrief {
  readonly id: string;
  readonly status: ProcessView['status'];
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  readonly runtimeMs: number;
}

/**
 * What a caller in the foreground gets. Where the command itself printed a JSON object with a boolean `ok`, it is that
 * object: then `data` and `error` are what the command says, and other keys may stand beside them.
 */
export type ResultEnvelope =
  | {
      readonly [key: string]: unknown;
      readonly ok: true;
      readonly data?: unknown;
      readonly process: ProcessBrief;
    }
  | {
      readonly [key: string]: unknown;
      readonly ok: false;
      /** Text, unless the command says otherwise. */
      readonly error?: unknown;
      /** `null` where nothing was started. */
      readonly process: ProcessBrief | null;
    };

/** What a caller gets when the process went to the background. */
export interface BackgroundedData {
  /** `pending`: it waits for a free place and has not started. */
  readonly status: 'backgrounded' | 'pending';
  readonly process_id: string;
  readonly pid: number | null;
  readonly message: string;
  readonly log_file: string | null;
}

export interface PrintedText {
  /** Head and tail with the dropped count between them, where it was too long. */
  readonly stdout: string;
  readonly stderr: string;
  /** Whether `stdout` is all there was. */
  readonly whole: boolean;
}

export function toBrief(view: ProcessView): ProcessBrief {
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

export function toResultEnvelope(view: FinalView, printed: PrintedText): ResultEnvelope {
  const process = toBrief(view);
  if (view.status === 'completed') {
    const own = printed.whole ? parseOwnEnvelope(printed.stdout) : null;
    return own === null ? { ok: true, data: printed.stdout, process } : { ...own, process };
  }
  return { ok: false, error: toErrorText(view, printed), process };
}

export function toBackgroundedEnvelope(view: ProcessView): ResultEnvelope {
  return { ok: true, data: toBackgroundedData(view), process: toBrief(view) };
}

/**
 * A caller's wait ended while the process was queued for a place. `holders` are the processes that hold the places, longest first; see
 * `ProcessWorld.slotHolders`. `now` is milliseconds since the epoch. At `onTimeout: 'kill'` and at `maxExecutionTime` the process is
 * taken back (`timed_out`); else it stays `pending`, and starts in the background as soon as a place is free.
 */
export function toQueuedEnvelope(
  view: ProcessView,
  { holders, now }: { holders: readonly ProcessView[]; now: number },
): ResultEnvelope {
  const after = formatDuration(now - view.createdAt);
  const waited = `Process ${view.id} has not started after ${after}${describeHolders(view, { holders, now })}.`;
  if (view.status === 'timed_out') {
    return {
      ok: false,
      error: `${waited} It was taken back at its time limit and will not start.`,
      process: toBrief(view),
    };
  }
  const message =
    `${waited} It waits on and starts in the background when a place is free. To make room end one of them; ` +
    `to take it back kill ${view.id}.`;
  const data: BackgroundedData = {
    status: 'pending',
    process_id: view.id,
    pid: null,
    message,
    log_file: view.output.logFile,
  };
  return { ok: true, data, process: toBrief(view) };
}

/** Its end may never come: whoever waits is told so. */
export function toSurvivedEnvelope(view: ProcessView): ResultEnvelope {
  const survivors = view.status === 'stopping' ? view.survivors : [];
  const who = survivors.map(({ pid, command }) => `${pid} (${command})`).join(', ');
  const error =
    `Process ${view.id} was stopped and is not gone${who === '' ? '' : `: alive still: ${who}`}. ` +
    'It stays "stopping" and is watched.';
  return { ok: false, error, process: toBrief(view) };
}

/** A JSON object with a boolean `ok` is a result by itself; anything else is text. */
function parseOwnEnvelope(stdout: string): { readonly ok: true } | { readonly ok: false } | null {
  if (!/^\s*\{/.test(stdout)) return null;
  try {
    const value: unknown = JSON.parse(stdout);
    return typeof (value as { ok?: unknown }).ok === 'boolean' ? (value as { ok: true }) : null;
  } catch {
    return null;
  }
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
      ? `It ended (${describeEnd(view.reason, null)}) and is to be started again`
      : `Still running after ${formatDuration('runtimeMs' in view ? view.runtimeMs : 0)}`;
  return {
    status: 'backgrounded',
    process_id: view.id,
    pid: 'pid' in view ? view.pid : null,
    message:
      `${state}: it goes on in the background as ${view.id}. A notice comes by itself when it ends; ` +
      `there is no need to poll. Its output so far is kept: read it with this id${log === null ? '' : `, or in ${log}`}.`,
    log_file: log,
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
  return `: all ${holders.length} places for ${places} are taken by ${each.join(', ')}`;
}
