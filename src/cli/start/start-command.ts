import { createRealClock } from '../../clock/real-clock.ts';
import type { CommandSpec } from '../../config/process-spec.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { printBackgroundHints, printTerminalHint } from '../background-hints.ts';
import { type CliIo, printError, printLines } from '../cli-io.ts';
import { type Daemon, interactiveDefaults, type OpenDaemon, openDaemon } from '../daemon.ts';
import { exitCodes, toProcessExitCode } from '../exit-codes.ts';
import { parseDuration, parseSize, restartPolicies } from '../flag-values.ts';
import { parseCommand, parseVariables, resolveDirectory, suggestShell } from '../run/parse-command.ts';
import { findStateDirectory, type OpenState, withState } from '../with-state.ts';
import { parseReadiness } from './read-readiness.ts';
import type { StartFlags } from './start-flags.ts';
import { waitUntilReady, waitUntilStarted } from './start-progress.ts';

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
      const { id } = await startIn(client, spec);
      const view = await waitUntilStarted(id, { state, clock: createRealClock() });
      if ('reason' in view && view.reason.type === 'spawnFailed') {
        printError(io, view.reason.message, ...suggestShell({ words, isShell }));
        return toProcessExitCode({ reason: view.reason, exit: null });
      }
      printLines(io, flags.json === true ? JSON.stringify(view) : id);
      if (flags.quiet !== true) printTerminalHint(view, { asked: spec.lifetime ?? 'session', io });
      if (spec.ready !== undefined && flags.wait) {
        const isReady = await waitUntilReady(view, { state, io });
        if (!isReady) return exitCodes.failed;
      }
      if (io.stderr.isTTY && flags.quiet !== true) printBackgroundHints(id, io);
      return exitCodes.done;
    });
  } finally {
    client.close();
  }
}

/** A terminal that outlives the daemon takes tmux. Where there is none it ends with the daemon, which is told. */
async function startIn(client: Daemon, spec: CommandSpec): Promise<ProcessView> {
  if (spec.interactive !== true || spec.lifetime === 'session') return client.start(spec);
  try {
    return await client.start(spec);
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== 'invalid-option') throw error;
    return client.start({ ...spec, lifetime: 'session' }).catch(() => {
      // Then it was not about the terminal.
      throw error;
    });
  }
}

function readSpec({ words, flags, io }: Pick<StartCall, 'words' | 'flags' | 'io'>): CommandSpec {
  if (flags.size !== undefined && flags.interactive !== true) {
    const message = '--size is of a terminal, and there is none without --interactive.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const ready = parseReadiness(flags.ready ?? [], flags.readyWithin);
  return {
    ...interactiveDefaults,
    kind: 'service',
    command: parseCommand({ words, isShell: flags.shell === true }),
    cwd: resolveDirectory(flags.cwd, io),
    env: parseVariables(flags.env ?? []),
    lifetime: flags.session === true ? 'session' : 'persistent',
    maxBackgroundTime: flags.maxTime === undefined ? 0 : parseDuration(flags.maxTime, '--max-time'),
    restart: { policy: restartPolicies[flags.restart ?? 'never'] },
    ...(flags.grace !== undefined && { killGrace: parseDuration(flags.grace, '--grace') }),
    ...(flags.name !== undefined && { label: flags.name }),
    ...(ready !== null && { ready }),
    ...(flags.interactive === true && { interactive: true }),
    ...(flags.size !== undefined && { size: parseSize(flags.size, '--size') }),
  };
}
