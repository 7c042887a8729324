import type { EndedResult, Leftover, PrintedText, ProcessResult } from './process-result.ts';
import type { ProcessView } from './process-view.ts';

/** Short form of the view in an envelope. */
export interface ProcessBrief {
  readonly id: string;
  readonly status: ProcessView['status'];
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: string | null;
  readonly runtimeMs: number;
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
 * A `ProcessResult` as plain JSON in one shape, which `troupe run --json` prints. `data` is the stdout of a command that exited with 0;
 * `error` says why it did not. A process of kind `agent` that printed a JSON object with a boolean `ok` sets both with that object; other keys
 * of it are kept, and are in no type.
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

/** Data of an envelope when the process has not ended. */
export interface BackgroundedData {
  /** `pending`: the process waits for a free slot and has not started. */
  readonly status: 'backgrounded' | 'pending';
  readonly processId: string;
  readonly pid: number | null;
  readonly message: string;
  /** Absolute path; `null` where none is kept. */
  readonly logFile: string | null;
}

/** Returns the result as plain JSON. A process that continues has `ok: true` there, and its `data` says that it continues. */
export function toEnvelope(result: ProcessResult): ResultEnvelope {
  switch (result.type) {
    case 'completed':
      return { ...(result.answer ?? { ok: true, data: result.stdout }), ...toEndFacts(result) };
    case 'failed':
    case 'killed':
    case 'timed_out':
    case 'lost':
      return { ok: false, error: toErrorText(result), ...toEndFacts(result) };
    case 'backgrounded':
    case 'queued': {
      const { process, message } = result;
      const brief = toBrief(process);
      const data: BackgroundedData = {
        status: result.type === 'queued' ? 'pending' : 'backgrounded',
        processId: process.id,
        pid: brief.pid,
        message,
        logFile: process.output.logFile,
      };
      const printed = result.type === 'queued' ? nothingPrinted : result.outputSoFar;
      return { ok: true, data, ...notEnded, ...printed, process: brief };
    }
    case 'survived':
      return {
        ...{ ok: false, error: result.message },
        ...notEnded,
        ...result.outputSoFar,
        process: toBrief(result.process),
      };
    case 'refused':
      return { ok: false, error: result.message, ...notEnded, ...nothingPrinted, process: null };
  }
}

const nothingPrinted: PrintedText = { stdout: '', stderr: '', output: '', truncated: false, droppedBytes: 0 };

const notEnded = { exitCode: null, signal: null, leftovers: [], suspects: [] } as const;

function toEndFacts(result: EndedResult): CommandFacts & { readonly process: ProcessBrief } {
  const { stdout, stderr, output, truncated, droppedBytes, exitCode, signal, leftovers, suspects } = result;
  const printed = { stdout, stderr, output, truncated, droppedBytes };
  return { ...printed, exitCode, signal, leftovers, suspects, process: toBrief(result.process) };
}

function toErrorText(result: Exclude<EndedResult, { readonly type: 'completed' }>): string {
  const { stdout, stderr, process, message } = result;
  const said = stderr || stdout;
  if (result.type === 'failed' && result.reason.type === 'exited') {
    const gaveUp = process.restarts === 0 ? '' : `Gave up after ${process.restarts} restarts. `;
    return gaveUp + (said || `Process exited with code ${result.reason.code}`);
  }
  return said === '' ? message : `${message}\n${said}`;
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
