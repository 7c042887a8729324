import { TroupeError } from '../../config/troupe-error.ts';
import type { CliIo } from '../cli-io.ts';
import { parseDuration } from '../flag-values.ts';
import { findStateDirectory } from '../with-state.ts';
import { parseCommand, parseVariables, resolveDirectory } from './parse-command.ts';
import { hasInput } from './pass-input.ts';
import type { RunFlags, RunRequest } from './run-request.ts';

export interface RunCall {
  readonly words: readonly string[];
  readonly flags: RunFlags;
  readonly io: CliIo;
}

/** Runs one command as a person asked for it. @returns the exit code. @throws TroupeError `invalid-option` */
export async function runCommand(call: RunCall): Promise<number> {
  checkFlagConflicts(call.flags);
  const order = parseRunRequest(call);
  if (order.isInteractive && !order.background) {
    const { runInteractive } = await import('./run-interactive.ts');
    return runInteractive(order);
  }
  if (order.promotes || order.background) {
    const { runInDaemon } = await import('./run-in-daemon.ts');
    return runInDaemon(order);
  }
  const { runHere } = await import('./run-here.ts');
  return runHere(order);
}

function parseRunRequest({ words, flags, io }: RunCall): RunRequest {
  const timeoutMs = flags.timeout === undefined ? 0 : parseDuration(flags.timeout, '--timeout');
  const onTimeout = flags.onTimeout ?? 'background';
  const isShell = flags.shell === true;
  return {
    words,
    isShell,
    command: parseCommand({ words, isShell }),
    cwd: resolveDirectory(flags.cwd, io),
    env: parseVariables(flags.env ?? []),
    label: flags.name ?? null,
    timeoutMs,
    onTimeout,
    maxTimeMs: flags.maxTime === undefined ? 0 : parseDuration(flags.maxTime, '--max-time'),
    graceMs: flags.grace === undefined ? null : parseDuration(flags.grace, '--grace'),
    hasInput:
      flags.background !== true &&
      flags.interactive !== true &&
      hasInput(io, { asked: flags.stdin === true }),
    isAtTerminal: isAtTerminal({ io, flags }),
    promotes: timeoutMs > 0 && onTimeout === 'background',
    background: flags.background === true,
    isInteractive: flags.interactive === true,
    json: flags.json === true,
    stateDirectory: findStateDirectory({ flag: flags.stateDir, io }),
    io,
  };
}

/** Where one of the three goes elsewhere, or its output is wanted as data, the command has pipes. */
function isAtTerminal({ io, flags }: Pick<RunCall, 'io' | 'flags'>): boolean {
  const { stdin, stdout, stderr } = io;
  const isData = flags.json === true || flags.stdin === true;
  return !isData && [stdin, stdout, stderr].every(({ isTTY }) => isTTY === true);
}

/** What means nothing where a person sits at the command. @throws TroupeError `invalid-option` */
function checkFlagConflicts({ interactive, background, json, timeout, stdin }: RunFlags): void {
  if (interactive !== true || background === true) return;
  const flag = [
    ...(json === true ? ['--json'] : []),
    ...(timeout === undefined ? [] : ['--timeout']),
    ...(stdin === true ? ['--stdin'] : []),
  ][0];
  if (flag === undefined) return;
  const message = `${flag} means nothing with --interactive, where you see the command and type: leave one out.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
