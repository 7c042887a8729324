import { createRealClock } from '../../clock/real-clock.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { complain, say } from '../cli-io.ts';
import { toSignalCode } from '../end-signals.ts';
import { openSupervisor } from '../open-supervisor.ts';
import { toProcessExitCode } from '../process-exit-code.ts';
import { tellFault } from '../tell-fault.ts';
import { forwardSignals } from './forward-signals.ts';
import { passInput } from './pass-input.ts';
import { createOutputPassage } from './pass-output.ts';
import type { RunOrder } from './run-order.ts';
import { tellEnd } from './tell-end.ts';

/** Runs the command under a supervisor of this program; what it leaves running ends with it. @returns the exit code. */
export async function runHere(order: RunOrder): Promise<number> {
  const { io, json, stateDirectory } = order;
  const clock = createRealClock();
  const passage = createOutputPassage(io, clock);
  const supervisor = openSupervisor({
    stateDirectory,
    io,
    ...(!json && { wrapBackend: passage.wrapBackend }),
  });
  const process = supervisor.start(toSpec(order));
  const signals = forwardSignals((options) => void process.kill({ ...options, by: 'user' }), { io, clock });
  if (order.hasInput) passInput(io, process).catch((error) => void tellFault(error, io));
  const end = await process.ended;
  if (json) say(io, JSON.stringify(await process.result()));
  if (signals.first === null) await passage.settled();
  tellEnd(end, order);
  await endAll(supervisor, order);
  signals.remove();
  const isCancelled = end.reason.type === 'cancelled';
  return isCancelled && signals.first !== null ? toSignalCode(signals.first) : toProcessExitCode(end);
}

function toSpec(order: RunOrder) {
  const { command, cwd, env, label, timeoutMs, onTimeout, maxTimeMs, graceMs } = order;
  return {
    command,
    cwd,
    env,
    timeout: timeoutMs,
    onTimeout: timeoutMs === 0 ? ('wait' as const) : onTimeout,
    maxExecutionTime: maxTimeMs,
    background: false,
    stdin: order.hasInput ? ('pipe' as const) : ('end' as const),
    ...(label !== null && { label }),
    ...(graceMs !== null && { killGrace: graceMs }),
  };
}

async function endAll(supervisor: Supervisor, { io }: Pick<RunOrder, 'io'>): Promise<void> {
  const { survivors } = await supervisor.shutdown();
  for (const { id, members } of survivors) {
    complain(io, `${id} could not be ended: pid ${members.map(({ pid }) => pid).join(', ')} is alive still.`);
  }
}
