import { createRealClock } from '../../clock/real-clock.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { printError, printLines } from '../cli-io.ts';
import { toSignalCode } from '../end-signals.ts';
import { toProcessExitCode } from '../exit-codes.ts';
import { openSupervisor } from '../open-supervisor.ts';
import { printFault } from '../print-fault.ts';
import { forwardSignals } from './forward-signals.ts';
import { forwardInput } from './pass-input.ts';
import { createOutputForwarder } from './pass-output.ts';
import { type RunRequest, reportEnd } from './run-request.ts';
import { shareTerminal, toSize } from './share-terminal.ts';

/**
 * Runs the command under a supervisor of this program; what it leaves running ends with it. At a terminal the command has one of its own,
 * which is shown in ours; where none can be had, it has pipes and no input. @returns the exit code.
 */
export async function runHere(order: RunRequest): Promise<number> {
  const { io, json, stateDirectory, isAtTerminal } = order;
  const clock = createRealClock();
  const passage = createOutputForwarder(io, clock);
  const supervisor = openSupervisor({
    stateDirectory,
    io,
    ...(!json && { wrapBackend: passage.wrapBackend }),
    ...(isAtTerminal && { terminal: 'pty' as const }),
  });
  const process = supervisor.start(toSpec(order));
  const signals = forwardSignals((options) => void process.kill({ ...options, by: 'user' }), { io, clock });
  const onFault = (error: unknown) => void printFault(error, io);
  const { terminal } = process.view();
  const shared = terminal?.type === 'terminal' ? shareTerminal(process, { io, clock, onFault }) : null;
  if (order.hasInput) forwardInput(io, process).catch(onFault);
  else if (isAtTerminal && shared === null) void process.endInput();
  const end = await process.ended;
  if (json) printLines(io, JSON.stringify(await process.result()));
  if (signals.first === null) await passage.settled();
  shared?.restore();
  reportEnd(end, order);
  await endAll(supervisor, order);
  signals.remove();
  const isCancelled = end.reason.type === 'cancelled';
  return isCancelled && signals.first !== null ? toSignalCode(signals.first) : toProcessExitCode(end);
}

function toSpec(order: RunRequest) {
  const { command, cwd, env, label, timeoutMs, onTimeout, maxTimeMs, graceMs, isAtTerminal, io } = order;
  return {
    command,
    cwd,
    // What it prints is drawn by our terminal.
    env: { ...(isAtTerminal && { TERM: io.env['TERM'] ?? 'dumb' }), ...env },
    ...(isAtTerminal && { interactive: true, size: toSize(io.stdout) }),
    timeout: timeoutMs,
    onTimeout: timeoutMs === 0 ? ('wait' as const) : onTimeout,
    maxExecutionTime: maxTimeMs,
    background: false,
    stdin: order.hasInput ? ('pipe' as const) : ('end' as const),
    ...(label !== null && { label }),
    ...(graceMs !== null && { killGrace: graceMs }),
  };
}

async function endAll(supervisor: Supervisor, { io }: Pick<RunRequest, 'io'>): Promise<void> {
  const { survivors } = await supervisor.shutdown();
  for (const { id, members } of survivors) {
    printError(
      io,
      `${id} could not be ended: pid ${members.map(({ pid }) => pid).join(', ')} is alive still.`,
    );
  }
}
