import type { CliIo } from './cli-io.ts';
import { exitCodes } from './exit-code.ts';
import { leaveQuietly } from './leave-quietly.ts';

/** Runs one command line and ends the program with its exit code. */
export async function runCli(args: readonly string[]): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  const io: CliIo = { stdin, stdout, stderr, env, cwd: process.cwd() };
  const output = leaveQuietly(io);
  const exitCode = await runLine(args, io);
  // What is written is out before the end, also where a pipe is slow.
  stdout.write('', () => {
    // What went wrong with it is told after this.
    setImmediate(() => stderr.write('', () => process.exit(output.exitCode ?? exitCode)));
  });
}

/** @returns the exit code. Never rejects. */
async function runLine(args: readonly string[], io: CliIo): Promise<number> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    const { readVersion } = await import('./version.ts');
    io.stdout.write(`${readVersion()}\n`);
    return exitCodes.done;
  }
  const { runVerb } = await import('./run-verb.ts');
  return runVerb(args, io);
}
