import { createRealClock } from '../../../clock/real-clock.ts';
import type { ProcessHandle } from '../../../process/process-handle.ts';
import { toEnvelope } from '../../../process/result-envelope.ts';
import type { Supervisor } from '../../../supervisor/supervisor.ts';
import { printError, printLines } from '../../cli-io.ts';
import { toProcessExitCode, toSignalCode } from '../../exit-codes.ts';
import { openSupervisor } from '../../open-supervisor.ts';
import { printFault } from '../../print-fault.ts';
import { forwardInput } from './forward-input.ts';
import { createOutputForwarder } from './forward-output.ts';
import { forwardSignals } from './forward-signals.ts';
import { type RunRequest, reportEnd } from './run-request.ts';
import { shareTerminal, toSize } from './share-terminal.ts';

/**
 * Runs the command under a supervisor of this program and kills what it leaves behind. At a terminal the command gets one of its own, shown
 * in this one; if none is available, it gets pipes and no input. @returns the exit code.
 */
export async function runHere(request: RunRequest): Promise<number> {
  const { io, json, stateDirectory, isAtTerminal } = request;
  const clock = createRealClock();
  const forwarder = createOutputForwarder(io, clock);
  const supervisor = openSupervisor({
    stateDirectory,
    io,
    ...(!json && { wrapBackend: forwarder.wrapBackend }),
    ...(isAtTerminal && { terminal: 'pty' as const }),
  });
  const process = await start(supervisor, request);
  const signals = forwardSignals((options) => void process.kill({ ...options, by: 'user' }), { io, clock });
  const onFault = (error: unknown) => void printFault(error, io);
  const { terminal } = process.view();
  const shared = terminal?.type === 'terminal' ? shareTerminal(process, { io, clock, onFault }) : null;
  if (request.hasInput) forwardInput(io, process).catch(onFault);
  else if (isAtTerminal && shared === null) void process.endInput();
  const end = await process.ended;
  if (json) printLines(io, JSON.stringify(toEnvelope(await process.result())));
  if (signals.first === null) await forwarder.settled();
  shared?.restore();
  reportEnd(end, request);
  await endAll(supervisor, request);
  signals.remove();
  const isCancelled = end.reason.type === 'cancelled';
  return isCancelled && signals.first !== null ? toSignalCode(signals.first) : toProcessExitCode(end);
}

/** @throws TroupeError, with the supervisor shut down */
async function start(supervisor: Supervisor, request: RunRequest): Promise<ProcessHandle> {
  const { io, label, replaces, stateDirectory } = request;
  if (label === null) return supervisor.start(toSpec(request));
  const { startAlone } = await import('../../start-alone.ts');
  const { openStateDirectory } = await import('../../../state-directory/open-state-directory.ts');
  const state = openStateDirectory({ directory: stateDirectory });
  try {
    return await startAlone(label, { state, replaces, io }, () => supervisor.start(toSpec(request)));
  } catch (error) {
    await supervisor.shutdown();
    throw error;
  } finally {
    state.close();
  }
}

function toSpec(request: RunRequest) {
  const { command, place, env, label, timeoutMs, onTimeout, maxTimeMs, graceMs, isAtTerminal, io } = request;
  return {
    command,
    ...place,
    // This terminal draws its output.
    env: { ...(isAtTerminal && { TERM: io.env['TERM'] ?? 'dumb' }), ...env },
    ...(isAtTerminal && { interactive: true, size: toSize(io.stdout) }),
    timeout: timeoutMs,
    onTimeout: timeoutMs === 0 ? ('wait' as const) : onTimeout,
    maxExecutionTime: maxTimeMs,
    background: false,
    stdin: request.hasInput ? ('pipe' as const) : ('end' as const),
    ...(label !== null && { label }),
    ...(graceMs !== null && { killGrace: graceMs }),
    ...(request.limits !== undefined && { resourceLimits: request.limits }),
  };
}

async function endAll(supervisor: Supervisor, { io }: Pick<RunRequest, 'io'>): Promise<void> {
  const { survivors } = await supervisor.shutdown();
  for (const { id, members } of survivors) {
    printError(
      io,
      `${id} could not be killed: pid ${members.map(({ pid }) => pid).join(', ')} is still alive.`,
    );
  }
}
