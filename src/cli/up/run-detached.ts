import { basename } from 'node:path';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines, printNote, toProgramName } from '../cli-io.ts';
import { interactiveDefaults, openDaemon, programFile } from '../daemon.ts';
import { exitCodes } from '../exit-codes.ts';
import { waitUntilReady } from '../start/start-progress.ts';

/** What `up` says once the start of each has come out one way or the other; what members print stands behind their names. */
const OUTCOME = /^troupe: (all \d+ are ready|not all of )/;

/** Each process has a deadline of its own. */
const LONG_ENOUGH = '1d';

/**
 * Runs `up` itself as a persistent process of the daemon, and waits until it says that all are ready: whatever ends, the processes
 * have the one supervisor that knows their order. @returns the exit code.
 */
export async function runDetached(
  { file, names }: { readonly file: string; readonly names: readonly string[] },
  {
    directory,
    state,
    io,
  }: { readonly directory: string; readonly state: StateDirectory; readonly io: CliIo },
): Promise<number> {
  const daemon = await openDaemon({ directory });
  const program = toProgramName(io.env);
  try {
    const started = await daemon.start({
      ...interactiveDefaults,
      kind: 'service',
      command: [process.execPath, programFile, 'up', file, ...names, '--state-dir', directory],
      cwd: io.cwd,
      env: { NO_COLOR: '1' },
      label: ['up', basename(file), ...names].join(' '),
      lifetime: 'persistent',
      maxBackgroundTime: 0,
      ready: { line: OUTCOME, within: LONG_ENOUGH },
    });
    if (!(await waitUntilReady(started, { state, io }))) return exitCodes.failed;
    const { text } = await state.read(started.id, { grep: OUTCOME.source });
    if (text.includes('not all of ')) {
      printError(io, text.slice(text.indexOf('not all of ')).trimEnd(), `The others go on: ${program} ps`);
      return exitCodes.failed;
    }
    printLines(io, started.id);
    if (io.stderr.isTTY) printNote(io, `${program} logs -f ${started.id}   to stop all: ${program} down`);
    return exitCodes.done;
  } finally {
    daemon.close();
  }
}
