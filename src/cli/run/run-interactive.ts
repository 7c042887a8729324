import { createRealClock } from '../../clock/real-clock.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { sitDown } from '../attach/attach-process.ts';
import { isTerminal } from '../attach/is-terminal.ts';
import { parseLeaveKey } from '../attach/leave-key.ts';
import { printError } from '../cli-io.ts';
import { type OpenDaemon, openDaemon } from '../daemon.ts';
import { type EndSignal, onEndSignal } from '../end-signals.ts';
import { exitCodes, toProcessExitCode } from '../exit-codes.ts';
import { waitUntilStarted } from '../start/start-progress.ts';
import { type OpenState, withState } from '../with-state.ts';
import { toDaemonSpec } from './run-in-daemon.ts';
import { type RunRequest, reportEnd } from './run-request.ts';

/**
 * Runs the command in a terminal of the daemon and sits down at it. Whoever leaves leaves it running; what ends this program ends it,
 * too. @returns the exit code.
 *
 * @throws TroupeError `invalid-option` where there is no terminal to show it in.
 */
export async function runInteractive(
  order: RunRequest,
  { open, daemon = openDaemon }: { readonly open?: OpenState; readonly daemon?: OpenDaemon } = {},
): Promise<number> {
  const { io, stateDirectory } = order;
  if (!isTerminal(io)) throw noTerminal();
  const client = await daemon({ directory: stateDirectory });
  const scene = { flags: { stateDir: stateDirectory }, io, ...(open !== undefined && { open }) };
  try {
    return await withState(scene, async (state) => {
      const { id } = await client.start(toDaemonSpec(order));
      return await runForeground(id, { order, state });
    });
  } finally {
    client.close();
  }
}

async function runForeground(
  id: string,
  { order, state }: { readonly order: RunRequest; readonly state: StateDirectory },
): Promise<number> {
  const { io } = order;
  const view = await waitUntilStarted(id, { state, clock: createRealClock() });
  if ('endedAt' in view) {
    for await (const { bytes } of state.follow(id, { from: 0 })) io.stdout.write(bytes);
    reportEnd(view, order);
    return toProcessExitCode(view);
  }
  if (view.terminal?.type !== 'terminal') {
    await state.kill(id, { by: 'user' });
    printError(
      io,
      `${view.terminal?.because ?? 'It has no terminal.'}`,
      'Install tmux, or run it without --interactive.',
    );
    return exitCodes.failed;
  }
  let killing: Promise<unknown> | null = null;
  const onSignal = (signal: EndSignal) => {
    killing ??= state.kill(id, { by: 'user', ...(signal !== 'SIGPIPE' && { signal }) });
    killing.catch(() => {});
  };
  // Until it is ended an output that is broken must not end us.
  const removeSignals = onEndSignal(onSignal);
  try {
    const leaveKey = parseLeaveKey();
    const code = await sitDown({ view, state, io, leaveKey, isReadOnly: false, onSignal });
    await killing;
    return code;
  } finally {
    removeSignals();
  }
}

function noTerminal(): TroupeError {
  const message =
    '--interactive shows the command in a terminal, and stdin or stdout is none here. Leave it out, or use --background with it.';
  return new TroupeError({ code: 'invalid-option', message });
}
