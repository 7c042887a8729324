import { constants } from 'node:os';
import { type CliIo, printError } from './cli-io.ts';
import { emitBrokenPipe } from './end-signals.ts';
import { toErrnoText } from './errno-text.ts';
import { exitCodes } from './exit-codes.ts';

/** The exit code of a program that SIGPIPE ended, as shells report it. */
const goneReaderCode: number = 128 + constants.signals.SIGPIPE;

/** State of the output of this program. */
export interface OutputState {
  /** Exit code of the program after its output broke; `null` while it can be written. */
  readonly exitCode: number | null;
}

/**
 * Ends the program when its output cannot be written. A reader that has gone away, as in `troupe … | head`, is no error; any other cause
 * is, and is printed once. A verb that runs processes ends them first: it receives SIGPIPE as a signal, which Node itself ignores.
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
    // Other problems of stderr cannot be reported, and must not stop the work.
    if (isGoneReader(error)) leave(error);
  });
  return {
    get exitCode() {
      return exitCode;
    },
  };
}

/** Tells whether the reader is gone. A closed terminal gives EIO. */
function isGoneReader({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}
