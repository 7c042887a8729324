import { dirname } from 'node:path';
import { formatDuration } from '../../config/format-duration.ts';
import { serveDaemon } from '../../control/daemon.ts';
import type { RuntimeEvent } from '../../supervisor/runtime-event.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { type CliIo, printError, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { parseDuration } from '../flag-values.ts';
import { describeProcessEvent, toProcessName } from '../render/process-text.ts';
import { findStateDirectory } from '../with-state.ts';
import type { ServeFlags } from './serve-flags.ts';

/** Is the daemon until it is idle, or a signal ends it and this program. @returns the exit code. */
export async function runServe({
  flags,
  io,
}: {
  readonly flags: ServeFlags;
  readonly io: CliIo;
}): Promise<number> {
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  const idleMs = readIdle(flags);
  const end = await serveDaemon({
    directory,
    ...(idleMs !== undefined && { idleMs }),
    onReady: ({ supervisor }) => tellOf(supervisor, { directory, io }),
  });
  if (end.type === 'notNeeded') {
    printNote(io, `${directory} has a daemon already; this one is not needed`);
    return exitCodes.done;
  }
  const { survivors } = end.report;
  if (end.why === 'workspaceRemoved')
    printError(io, `${dirname(directory)} was removed, so its processes were killed and the daemon ends.`);
  for (const { id } of survivors) printError(io, `${id} could not be ended.`);
  if (io.stderr.isTTY && end.why !== 'workspaceRemoved')
    printNote(io, end.why === 'idle' ? 'there is nothing to do any more' : 'it was asked to end');
  return survivors.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** `undefined`: as usual. */
function readIdle({ idle, forever }: ServeFlags): number | null | undefined {
  if (forever === true) return null;
  return idle === undefined ? undefined : parseDuration(idle, '--idle');
}

/** While somebody watches. Nobody reads it in a file, and it would grow. */
function tellOf(
  supervisor: Supervisor,
  { directory, io }: { readonly directory: string; readonly io: CliIo },
): void {
  if (!io.stderr.isTTY) return;
  const taken = supervisor.list({ live: true }).length;
  const more = taken === 0 ? '' : `; ${taken} taken over`;
  printNote(io, `serving ${directory} (pid ${process.pid})${more}; Ctrl-C ends it`);
  supervisor.events$.subscribe((event) => {
    const words = describe(event);
    if (words !== null) printNote(io, words);
  });
}

function describe(event: RuntimeEvent): string | null {
  if (!('process' in event)) return null;
  const { process } = event;
  const name = toProcessName(process);
  if (event.type === 'process.created') return `${name}: ${process.commandLine}`;
  const words = describeProcessEvent(event);
  if (words === null) return null;
  const took =
    'runtimeMs' in process && event.type === 'process.ended'
      ? `, after ${formatDuration(process.runtimeMs)}`
      : '';
  return `${name} ${words}${took}`;
}
