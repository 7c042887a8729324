import type { CliIo } from './cli-io.ts';
import { ignoreInheritedSignals } from './end-signals.ts';
import { exitCodes } from './exit-codes.ts';
import { handleBrokenPipe } from './handle-broken-pipe.ts';
import type { ListFlags } from './verbs/ps.ts';

/** Runs one command line and ends the program with its exit code. */
export async function runCli(args: readonly string[]): Promise<void> {
  const { stdout, stderr, env } = process;
  ignoreInheritedSignals(env);
  const cwd = readCurrentDirectory();
  const io: CliIo = {
    // Creating stdin takes longer than some verbs that never read it.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    env,
    cwd: cwd ?? '/',
  };
  const output = handleBrokenPipe(io);
  const exitCode = cwd === null ? await reportMissingDirectory(io) : await runLine(args, io);
  // Flush stdout before the exit, even through a slow pipe.
  stdout.write('', () => {
    // An error of stdout is emitted after this callback.
    setImmediate(() => stderr.write('', () => process.exit(output.exitCode ?? exitCode)));
  });
}

/** Returns the current directory; `null` if it was removed or cannot be read. */
function readCurrentDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

async function reportMissingDirectory(io: CliIo): Promise<number> {
  const { printError } = await import('./cli-io.ts');
  printError(io, 'the current directory does not exist any more', 'Change to another one and try again.');
  return exitCodes.failed;
}

/** @returns the exit code. Never rejects. */
async function runLine(args: readonly string[], io: CliIo): Promise<number> {
  if (args.length === 1 && ['--version', '-v', '-V'].includes(args[0] ?? '')) {
    const { readVersion } = await import('./version.ts');
    io.stdout.write(`${readVersion()}\n`);
    return exitCodes.done;
  }
  const quick = readQuickList(args);
  if (quick !== null) return listQuickly(quick, io);
  const { runProgram } = await import('./program.ts');
  return runProgram(args, io);
}

const listFlags: Readonly<Record<string, keyof ListFlags>> = {
  '-a': 'all',
  '--all': 'all',
  '-q': 'quiet',
  '--quiet': 'quiet',
  '--json': 'json',
};

/**
 * Parses the flags of a plain `troupe ps`; `null` for any other command line. People and scripts run it often, and loading the full
 * parser takes as long as everything else.
 */
function readQuickList([verb, ...args]: readonly string[]): ListFlags | null {
  if (verb !== 'ps' || !args.every((arg) => Object.hasOwn(listFlags, arg))) return null;
  return Object.fromEntries(args.map((arg) => [listFlags[arg], true]));
}

async function listQuickly(flags: ListFlags, io: CliIo): Promise<number> {
  try {
    const { listProcesses } = await import('./verbs/ps.ts');
    return await listProcesses({ flags, io });
  } catch (error) {
    const { printFault } = await import('./print-fault.ts');
    return printFault(error, io);
  }
}
