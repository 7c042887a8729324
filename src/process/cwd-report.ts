import { basename } from 'node:path';
import { quoteForShell } from './command.ts';

/** Shells whose `trap … EXIT` and `eval` behave as POSIX says. */
const posixShells = /^(ba|da|a|k|mk|z)?sh$/;

/**
 * Returns the program and arguments that run a script and write the shell's last directory to a file; `null` for shells that are not POSIX.
 * Exit codes, line numbers and messages remain those of the script. Nothing is written if the script replaces the shell (`exec`) or the
 * trap (`trap … EXIT`), or if a signal kills the shell.
 */
export function toReportingCommand(script: string, to: CwdReport): readonly [string, ...string[]] | null {
  const { shell, file } = to;
  if (!posixShells.test(basename(shell))) return null;
  // `eval` shows only the script in messages about its syntax, and counts lines from its first.
  const runner = `_troupe_text=$1; shift; trap ${quoteForShell(toReport(file))} EXIT; eval "$_troupe_text"`;
  return [shell, '-c', runner, shell, script];
}

interface CwdReport {
  readonly shell: string;
  /** Absolute path. */
  readonly file: string;
}

/** Returns the commands of the trap: silent under `set -x`, harmless under `set -e` and `set -C`. They report a removed directory, too. */
function toReport(file: string): string {
  const into = `2>/dev/null >|${quoteForShell(file)}`;
  return `{ set +ex; } 2>/dev/null; pwd -P ${into} || printf '%s\\n' "$PWD" ${into}`;
}
