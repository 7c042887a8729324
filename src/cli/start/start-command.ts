import { createRealClock } from '../../clock/real-clock.ts';
import type { CommandSpec } from '../../config/process-spec.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { personsLimits } from '../background-spec.ts';
import { type CliIo, complain, say } from '../cli-io.ts';
import { type OpenDaemon, openDaemon } from '../daemon.ts';
import { exitCodes } from '../exit-code.ts';
import { parseSpan } from '../parse-span.ts';
import { toProcessExitCode } from '../process-exit-code.ts';
import { restartPolicies } from '../restart-words.ts';
import { adviseOnCommand, readCommand, readDirectory, readVariables } from '../run/read-command.ts';
import { type OpenState, withState } from '../state/with-state.ts';
import { findStateDirectory } from '../state-dir.ts';
import { tellHow } from '../tell-how.ts';
import { readReadiness } from './read-readiness.ts';
import type { StartFlags } from './start-flags.ts';
import { untilStarted } from './until-started.ts';
import { waitUntilReady } from './wait-until-ready.ts';

export interface StartCall {
  readonly words: readonly string[];
  readonly flags: StartFlags;
  readonly io: CliIo;
  readonly open?: OpenState;
  readonly daemon?: OpenDaemon;
}

/**
 * Starts a command in the daemon and prints its id. @returns the exit code.
 *
 * @throws TroupeError what is wrong in the command line, or why it was not started.
 */
export async function startCommand({
  words,
  flags,
  io,
  open,
  daemon = openDaemon,
}: StartCall): Promise<number> {
  const isShell = flags.shell === true;
  const spec = readSpec({ words, flags, io });
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  const client = await daemon({ directory });
  const scene = { flags: { stateDir: directory }, io, ...(open !== undefined && { open }) };
  try {
    return await withState(scene, async (state) => {
      const { id } = await client.start(spec);
      const view = await untilStarted(id, { state, clock: createRealClock() });
      if ('reason' in view && view.reason.type === 'spawnFailed') {
        complain(io, view.reason.message, ...adviseOnCommand({ words, isShell }));
        return toProcessExitCode({ reason: view.reason, exit: null });
      }
      say(io, flags.json === true ? JSON.stringify(view) : id);
      if (spec.ready !== undefined && flags.wait) {
        const isReady = await waitUntilReady(view, { state, io });
        if (!isReady) return exitCodes.failed;
      }
      if (io.stderr.isTTY && flags.quiet !== true) tellHow(id, io);
      return exitCodes.done;
    });
  } finally {
    client.close();
  }
}

function readSpec({ words, flags, io }: Pick<StartCall, 'words' | 'flags' | 'io'>): CommandSpec {
  if (flags.interactive === true) {
    const message =
      '--interactive wants a terminal for the command, and terminals come with a later version. Without it the command gets none, and its input is at its end.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const ready = readReadiness(flags.ready ?? [], flags.readyWithin);
  return {
    ...personsLimits,
    kind: 'service',
    command: readCommand({ words, isShell: flags.shell === true }),
    cwd: readDirectory(flags.cwd, io),
    env: readVariables(flags.env ?? []),
    lifetime: flags.session === true ? 'session' : 'persistent',
    maxBackgroundTime: flags.maxTime === undefined ? 0 : parseSpan(flags.maxTime, '--max-time'),
    restart: { policy: restartPolicies[flags.restart ?? 'never'] },
    ...(flags.grace !== undefined && { killGrace: parseSpan(flags.grace, '--grace') }),
    ...(flags.name !== undefined && { label: flags.name }),
    ...(ready !== null && { ready }),
  };
}
