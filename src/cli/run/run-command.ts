import type { CliIo } from '../cli-io.ts';
import { parseSpan } from '../parse-span.ts';
import { findStateDirectory } from '../state-dir.ts';
import { hasInput } from './pass-input.ts';
import { readCommand, readDirectory, readVariables } from './read-command.ts';
import type { RunFlags } from './run-flags.ts';
import type { RunOrder } from './run-order.ts';

export interface RunCall {
  readonly words: readonly string[];
  readonly flags: RunFlags;
  readonly io: CliIo;
}

/** Runs one command as a person asked for it. @returns the exit code. @throws TroupeError `invalid-option` */
export async function runCommand(call: RunCall): Promise<number> {
  const order = readOrder(call);
  if (order.promotes || order.background) {
    const { runInDaemon } = await import('./run-in-daemon.ts');
    return runInDaemon(order);
  }
  const { runHere } = await import('./run-here.ts');
  return runHere(order);
}

function readOrder({ words, flags, io }: RunCall): RunOrder {
  const timeoutMs = flags.timeout === undefined ? 0 : parseSpan(flags.timeout, '--timeout');
  const onTimeout = flags.onTimeout ?? 'background';
  const isShell = flags.shell === true;
  return {
    words,
    isShell,
    command: readCommand({ words, isShell }),
    cwd: readDirectory(flags.cwd, io),
    env: readVariables(flags.env ?? []),
    label: flags.name ?? null,
    timeoutMs,
    onTimeout,
    maxTimeMs: flags.maxTime === undefined ? 0 : parseSpan(flags.maxTime, '--max-time'),
    graceMs: flags.grace === undefined ? null : parseSpan(flags.grace, '--grace'),
    hasInput: flags.background !== true && hasInput(io, { asked: flags.stdin === true }),
    promotes: timeoutMs > 0 && onTimeout === 'background',
    background: flags.background === true,
    json: flags.json === true,
    stateDirectory: findStateDirectory({ flag: flags.stateDir, io }),
    io,
  };
}
