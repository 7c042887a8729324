import { once } from 'node:events';
import { createRealClock } from '../../../clock/real-clock.ts';
import { formatDuration } from '../../../config/format-duration.ts';
import type { CommandSpec } from '../../../config/process-spec.ts';
import { readPrinted, toEndedResult, toLiving } from '../../../process/ended-result.ts';
import type { KillOptions } from '../../../process/process-handle.ts';
import type { FinalView, ProcessView } from '../../../process/process-view.ts';
import { type ResultEnvelope, toEnvelope } from '../../../process/result-envelope.ts';
import { findListeningPorts } from '../../../readiness/listening-ports.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import { printBackgroundHints, printTerminalHint } from '../../background-hints.ts';
import { type CliIo, isTerminal, printLines, printNote } from '../../cli-io.ts';
import { exitCodes, toProcessExitCode, toSignalCode } from '../../exit-codes.ts';
import { interactiveDefaults, type OpenDaemon, openDaemon } from '../../open-daemon.ts';
import { printFault } from '../../print-fault.ts';
import { startAlone } from '../../start-alone.ts';
import { type OpenState, withState } from '../../with-state.ts';
import { forwardInput } from './forward-input.ts';
import { forwardSignals } from './forward-signals.ts';
import { type RunRequest, reportEnd } from './run-request.ts';

/** Output kept by the daemon for this program to catch up. */
const BUFFER_BYTES = 16 * 1024 * 1024;

/**
 * Runs the command in the daemon, so that it can outlive this program, and follows it until it ends or moves to the background.
 * @returns the exit code.
 */
export async function runInDaemon(
  request: RunRequest,
  { open, daemon = openDaemon }: { readonly open?: OpenState; readonly daemon?: OpenDaemon } = {},
): Promise<number> {
  const { io, stateDirectory } = request;
  const client = await daemon({ directory: stateDirectory });
  const input = { flags: { stateDir: stateDirectory }, io, ...(open !== undefined && { open }) };
  try {
    return await withState(input, async (state) => {
      const { label, replaces } = request;
      const start = () => client.start(toDaemonSpec(request));
      const view = await startAlone(label ?? undefined, { state, replaces, io }, start);
      printTerminalHint(view, { asked: 'session', io });
      return await runForeground(view, { request, state });
    });
  } finally {
    client.close();
  }
}

/** Returns the spec for the daemon. */
export function toDaemonSpec(request: RunRequest): CommandSpec {
  const { command, place, env, label, maxTimeMs, graceMs, isInteractive, io } = request;
  return {
    ...interactiveDefaults,
    command,
    ...place,
    env,
    maxBackgroundTime: maxTimeMs,
    maxBufferBytes: BUFFER_BYTES,
    stdin: request.hasInput ? 'pipe' : 'end',
    ...(isInteractive && { interactive: true }),
    ...(isInteractive && isTerminal(io) && { size: { columns: io.stdout.columns, rows: io.stdout.rows } }),
    ...(label !== null && { label }),
    ...(graceMs !== null && { killGrace: graceMs }),
    ...(request.limits !== undefined && { resourceLimits: request.limits }),
  };
}

async function runForeground(
  { id, terminal }: Pick<ProcessView, 'id' | 'terminal'>,
  { request, state }: { readonly request: RunRequest; readonly state: StateDirectory },
): Promise<number> {
  const { io, timeoutMs, hasInput, background } = request;
  if (background) return reportBackgrounded(id, request);
  const clock = createRealClock();
  const abort = new AbortController();
  const fault = Promise.withResolvers<never>();
  const kill = (options: KillOptions) => {
    state.kill(id, { ...options, by: 'user' }).catch(fault.reject);
  };
  const signals = forwardSignals(kill, { io, clock });
  const cancel = clock.at(clock.nowMs() + timeoutMs, () => abort.abort());
  try {
    if (hasInput) {
      const inputTarget = {
        write: (data: Uint8Array) => state.write(id, data),
        endInput: () => state.endInput(id),
        refusedInput: terminal?.type === 'terminal' ? ('dropped' as const) : ('queued' as const),
      };
      forwardInput(io, inputTarget).catch(fault.reject);
    }
    const passing = forwardOutput(id, { state, io, signal: abort.signal, json: request.json });
    const end = await Promise.race([passing, fault.promise]);
    if (end === null) return reportBackgrounded(id, request);
    if (request.json) printLines(io, JSON.stringify(await toResult(end, state)));
    reportEnd(end, request);
    const isCancelled = end.reason.type === 'cancelled';
    return isCancelled && signals.first !== null ? toSignalCode(signals.first) : toProcessExitCode(end);
  } catch (error) {
    const code = printFault(error, io);
    printNote(io, `The end of ${id} is unknown; it may still be running.`);
    printBackgroundHints(id, io);
    return signals.first === null ? code : toSignalCode(signals.first);
  } finally {
    cancel();
    abort.abort();
    signals.remove();
  }
}

/** Forwards the output until the end; `null` if aborted before. */
async function forwardOutput(
  id: string,
  { state, io, signal, json }: { state: StateDirectory; io: CliIo; signal: AbortSignal; json: boolean },
): Promise<FinalView | null> {
  try {
    if (!json) {
      for await (const { stream, bytes, droppedBytes } of state.follow(id, { from: 0, signal })) {
        if (droppedBytes > 0)
          printNote(io, `${droppedBytes} bytes are missing here: the output was too fast`);
        const target = stream === 'stderr' ? io.stderr : io.stdout;
        if (!target.write(bytes) && !target.destroyed) await once(target, 'drain', { signal });
      }
    }
    return await state.wait(id, { signal });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Returns the same result as for a command that this program runs itself. */
async function toResult(view: FinalView, state: StateDirectory): Promise<ResultEnvelope> {
  const printed = await readPrinted((options) => state.read(view.id, options));
  return toEnvelope(toEndedResult({ view, printed, ...(await toLiving(view, findListeningPorts)) }));
}

/** Reports that the command continues in the background. stdout gets the id only without other output. */
function reportBackgrounded(id: string, { io, background, json, timeoutMs }: RunRequest): number {
  if (json) printLines(io, JSON.stringify({ id, status: 'backgrounded' }));
  else if (background) printLines(io, id);
  if (!background)
    printNote(
      io,
      `still running after ${formatDuration(timeoutMs)}; it continues in the background as ${id}`,
    );
  if (!background || io.stderr.isTTY) printBackgroundHints(id, io);
  return exitCodes.done;
}
