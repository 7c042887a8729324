import { once } from 'node:events';
import { createRealClock } from '../../clock/real-clock.ts';
import { formatDuration } from '../../config/format-duration.ts';
import type { CommandSpec } from '../../config/process-spec.ts';
import type { KillOptions } from '../../process/process-handle.ts';
import type { FinalView, ProcessView } from '../../process/process-view.ts';
import {
  type ResultEnvelope,
  readPrinted,
  toLiving,
  toResultEnvelope,
} from '../../process/result-envelope.ts';
import { findListeningPorts } from '../../readiness/listening-ports.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { isTerminal } from '../attach/is-terminal.ts';
import { printBackgroundHints, printTerminalHint } from '../background-hints.ts';
import { type CliIo, printLines, printNote } from '../cli-io.ts';
import { interactiveDefaults, type OpenDaemon, openDaemon } from '../daemon.ts';
import { toSignalCode } from '../end-signals.ts';
import { exitCodes, toProcessExitCode } from '../exit-codes.ts';
import { printFault } from '../print-fault.ts';
import { type OpenState, withState } from '../with-state.ts';
import { forwardSignals } from './forward-signals.ts';
import { forwardInput } from './pass-input.ts';
import { type RunRequest, reportEnd } from './run-request.ts';

/** How far we may be behind before something is missing here. */
const BUFFER_BYTES = 16 * 1024 * 1024;

/**
 * Runs the command in the daemon, and stands in front of it until it ends or goes to the background: so it does not end with this
 * program. @returns the exit code.
 */
export async function runInDaemon(
  order: RunRequest,
  { open, daemon = openDaemon }: { readonly open?: OpenState; readonly daemon?: OpenDaemon } = {},
): Promise<number> {
  const { io, stateDirectory } = order;
  const client = await daemon({ directory: stateDirectory });
  const scene = { flags: { stateDir: stateDirectory }, io, ...(open !== undefined && { open }) };
  try {
    return await withState(scene, async (state) => {
      const view = await client.start(toDaemonSpec(order));
      printTerminalHint(view, { asked: 'session', io });
      return await runForeground(view, { order, state });
    });
  } finally {
    client.close();
  }
}

/** What the daemon is asked to start. */
export function toDaemonSpec(order: RunRequest): CommandSpec {
  const { command, cwd, env, label, maxTimeMs, graceMs, isInteractive, io } = order;
  return {
    ...interactiveDefaults,
    command,
    cwd,
    env,
    maxBackgroundTime: maxTimeMs,
    maxBufferBytes: BUFFER_BYTES,
    stdin: order.hasInput ? 'pipe' : 'end',
    ...(isInteractive && { interactive: true }),
    ...(isInteractive && isTerminal(io) && { size: { columns: io.stdout.columns, rows: io.stdout.rows } }),
    ...(label !== null && { label }),
    ...(graceMs !== null && { killGrace: graceMs }),
  };
}

async function runForeground(
  { id, terminal }: Pick<ProcessView, 'id' | 'terminal'>,
  { order, state }: { readonly order: RunRequest; readonly state: StateDirectory },
): Promise<number> {
  const { io, timeoutMs, hasInput, background } = order;
  if (background) return reportBackgrounded(id, order);
  const clock = createRealClock();
  const leaving = new AbortController();
  const fault = Promise.withResolvers<never>();
  const kill = (options: KillOptions) => {
    state.kill(id, { ...options, by: 'user' }).catch(fault.reject);
  };
  const signals = forwardSignals(kill, { io, clock });
  const cancel = clock.at(clock.nowMs() + timeoutMs, () => leaving.abort());
  try {
    if (hasInput) {
      const taker = {
        write: (data: Uint8Array) => state.write(id, data),
        endInput: () => state.endInput(id),
        unread: terminal?.type === 'terminal' ? ('notGiven' as const) : ('underWay' as const),
      };
      forwardInput(io, taker).catch(fault.reject);
    }
    const passing = forwardOutput(id, { state, io, signal: leaving.signal, json: order.json });
    const end = await Promise.race([passing, fault.promise]);
    if (end === null) return reportBackgrounded(id, order);
    if (order.json) printLines(io, JSON.stringify(await toResult(end, state)));
    reportEnd(end, order);
    const isCancelled = end.reason.type === 'cancelled';
    return isCancelled && signals.first !== null ? toSignalCode(signals.first) : toProcessExitCode(end);
  } catch (error) {
    const code = printFault(error, io);
    printNote(io, `${id} was not seen to end, and may go on`);
    printBackgroundHints(id, io);
    return signals.first === null ? code : toSignalCode(signals.first);
  } finally {
    cancel();
    leaving.abort();
    signals.remove();
  }
}

/** Passes its output on until it has ended; `null` when it is left before that. */
async function forwardOutput(
  id: string,
  { state, io, signal, json }: { state: StateDirectory; io: CliIo; signal: AbortSignal; json: boolean },
): Promise<FinalView | null> {
  try {
    if (!json) {
      for await (const { stream, bytes, droppedBytes } of state.follow(id, { from: 0, signal })) {
        if (droppedBytes > 0) printNote(io, `${droppedBytes} bytes are missing here: they came too fast`);
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

/** The same as for a command that this program runs itself. */
async function toResult(view: FinalView, state: StateDirectory): Promise<ResultEnvelope> {
  const printed = await readPrinted((options) => state.read(view.id, options));
  return toResultEnvelope({ view, printed, ...(await toLiving(view, findListeningPorts)) }, null);
}

/** It goes on. On stdout stands the id where nothing else does. */
function reportBackgrounded(id: string, { io, background, json, timeoutMs }: RunRequest): number {
  if (json) printLines(io, JSON.stringify({ id, status: 'backgrounded' }));
  else if (background) printLines(io, id);
  if (!background)
    printNote(io, `still running after ${formatDuration(timeoutMs)}, it goes on in the background as ${id}`);
  if (!background || io.stderr.isTTY) printBackgroundHints(id, io);
  return exitCodes.done;
}
