import { basename } from 'node:path';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines, printNote, toProgramName } from '../../cli-io.ts';
import { exitCodes } from '../../exit-codes.ts';
import { interactiveDefaults, openDaemon, programFile } from '../../open-daemon.ts';
import { waitUntilReady } from '../start/start-progress.ts';

/** Line that `up` prints once every start has succeeded or failed. Output of the processes has their names in front. */
const OUTCOME = /^troupe: (all \d+ are ready|not all of )/;

/** Practically unlimited, because each process has a deadline of its own. */
const LONG_ENOUGH = '1d';

/**
 * Runs `up` itself as a persistent process of the daemon and waits until it reports readiness, so that the processes keep the one
 * supervisor that knows their order. @returns the exit code.
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
    if (!(await waitUntilReady(started, { state, io, mayComplete: true }))) return exitCodes.failed;
    const { text } = await state.read(started.id, { grep: OUTCOME.source });
    if (text.includes('not all of ')) {
      printError(
        io,
        text.slice(text.indexOf('not all of ')).trimEnd(),
        `The others keep running: ${program} ps`,
      );
      return exitCodes.failed;
    }
    // Another `up` has started everything meanwhile.
    if (text === '') return exitCodes.done;
    printLines(io, started.id);
    if (io.stderr.isTTY) printNote(io, `${program} logs -f ${started.id}   to stop all: ${program} down`);
    return exitCodes.done;
  } finally {
    daemon.close();
  }
}
