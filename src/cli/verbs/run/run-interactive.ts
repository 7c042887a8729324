import { createRealClock } from '../../../clock/real-clock.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import { isTerminal, printError } from '../../cli-io.ts';
import { type EndSignal, onEndSignal } from '../../end-signals.ts';
import { exitCodes, toProcessExitCode } from '../../exit-codes.ts';
import { type OpenDaemon, openDaemon } from '../../open-daemon.ts';
import { startAlone } from '../../start-alone.ts';
import { type OpenState, withState } from '../../with-state.ts';
import { attachTerminal } from '../attach/attach.ts';
import { parseLeaveKey } from '../attach/leave-key.ts';
import { waitUntilStarted } from '../start/start-progress.ts';
import { toDaemonSpec } from './run-in-daemon.ts';
import { type RunRequest, reportEnd } from './run-request.ts';

/**
 * Runs the command in a terminal of the daemon and attaches to it. Detaching leaves it running; a signal that ends this program ends the
 * command, too. @returns the exit code.
 *
 * @throws TroupeError `invalid-option` without a terminal to show it in.
 */
export async function runInteractive(
  request: RunRequest,
  { open, daemon = openDaemon }: { readonly open?: OpenState; readonly daemon?: OpenDaemon } = {},
): Promise<number> {
  const { io, stateDirectory } = request;
  if (!isTerminal(io)) throw noTerminal();
  const client = await daemon({ directory: stateDirectory });
  const input = { flags: { stateDir: stateDirectory }, io, ...(open !== undefined && { open }) };
  try {
    return await withState(input, async (state) => {
      const { label, replaces } = request;
      const start = () => client.start(toDaemonSpec(request));
      const { id } = await startAlone(label ?? undefined, { state, replaces, io }, start);
      return await runForeground(id, { request, state });
    });
  } finally {
    client.close();
  }
}

async function runForeground(
  id: string,
  { request, state }: { readonly request: RunRequest; readonly state: StateDirectory },
): Promise<number> {
  const { io } = request;
  const view = await waitUntilStarted(id, { state, clock: createRealClock() });
  if ('endedAt' in view) {
    for await (const { bytes } of state.follow(id, { from: 0 })) io.stdout.write(bytes);
    reportEnd(view, request);
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
  // A broken output must not end this program before the command has ended.
  const removeSignals = onEndSignal(onSignal);
  try {
    const leaveKey = parseLeaveKey();
    const code = await attachTerminal({ view, state, io, leaveKey, isReadOnly: false, onSignal });
    await killing;
    return code;
  } finally {
    removeSignals();
  }
}

function noTerminal(): TroupeError {
  const message =
    '--interactive needs a terminal, and stdin or stdout is not one. Leave it out, or combine it with --background.';
  return new TroupeError({ code: 'invalid-option', message });
}
