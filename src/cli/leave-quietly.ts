import { constants } from 'node:os';
import type { CliIo } from './cli-io.ts';

/** As a shell says of a program that SIGPIPE has ended. */
export const goneReaderCode: number = 128 + constants.signals.SIGPIPE;

/**
 * Nobody reads what we write any more: `troupe … | head` is no error. A verb that holds processes ends them first,
 * because SIGPIPE is told to it as a signal; Node itself ignores it.
 */
export function leaveQuietly({ stdout, stderr }: CliIo): void {
  const onError = (error: NodeJS.ErrnoException) => {
    // A terminal that was closed says EIO.
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    if (!process.emit('SIGPIPE', 'SIGPIPE')) process.exit(goneReaderCode);
  };
  stdout.on('error', onError);
  stderr.on('error', onError);
}
