import { constants } from 'node:os';
import { type CliIo, printError } from './cli-io.ts';
import { emitBrokenPipe } from './end-signals.ts';
import { toErrnoText } from './errno-text.ts';
import { exitCodes } from './exit-codes.ts';

/** As a shell says of a program that SIGPIPE has ended. */
const goneReaderCode: number = 128 + constants.signals.SIGPIPE;

/** What became of the output. */
export interface OutputState {
  /** What the program ends with where its output could not be written; `null` otherwise. */
  readonly exitCode: number | null;
}

/**
 * Nobody reads what we write any more: `troupe … | head` is no error. That it cannot be written is one, and is told once. Either
 * way a verb that holds processes ends them first, because SIGPIPE is told to it as a signal; Node itself ignores it.
 */
export function handleBrokenPipe(io: Pick<CliIo, 'stdout' | 'stderr'>): OutputState {
  let exitCode: number | null = null;
  const leave = (error: NodeJS.ErrnoException) => {
    const isGone = isGoneReader(error);
    if (exitCode === null && !isGone) {
      printError(io, `the output cannot be written: ${toErrnoText(error) ?? error.message}.`);
    }
    exitCode ??= isGone ? goneReaderCode : exitCodes.fault;
    if (!emitBrokenPipe()) process.exit(exitCode);
  };
  io.stdout.on('error', leave);
  io.stderr.on('error', (error: NodeJS.ErrnoException) => {
    // Nobody can be told of another trouble with it, and the work is not to suffer.
    if (isGoneReader(error)) leave(error);
  });
  return {
    get exitCode() {
      return exitCode;
    },
  };
}

/** A terminal that was closed says EIO. */
function isGoneReader({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}
