import { dirname } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { formatDuration } from '../../config/format-duration.ts';
import { readRemoteVariables } from '../../config/remote-options.ts';
import type { AttachedClients } from '../../control/attached-clients.ts';
import type { RuntimeEvent } from '../../supervisor/runtime-event.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { type CliIo, printError, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { parseDuration } from '../flag-values.ts';
import { describeProcessEvent, toProcessName } from '../render/process-text.ts';
import { type DefineVerb, type FlagsOf, stateDirFlag } from '../verb.ts';
import { findStateDirectory } from '../with-state.ts';

const addFlags = (command: Command) =>
  command
    .option('--idle <duration>', 'end after being idle for so long (10s)')
    .option('--forever', 'do not end when idle, as --idle none')
    .option(...stateDirFlag);

type ServeFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe serve`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description(
      'Supervises the processes of a state directory without an agent or a terminal, until it is idle.',
    )
    .addHelpText(
      'after',
      `
${name} start starts it on demand. In the foreground it prints what happens;
Ctrl-C ends it, and every process that does not outlive it.`,
    )
    .action(async (flags) => end(await runServe({ flags, io })));
};

/** Runs the daemon until it is idle or a signal ends it. @returns the exit code. */
async function runServe({ flags, io }: { readonly flags: ServeFlags; readonly io: CliIo }): Promise<number> {
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  const idleMs = parseIdle(flags);
  // It loads the supervisor, which help and completion can do without.
  const { serveDaemon } = await import('../../control/daemon.ts');
  const end = await serveDaemon({
    directory,
    ...(idleMs !== undefined && { idleMs }),
    supervisor: readRemoteVariables(io.env),
    createAttached: createAttachedLater,
    onReady: ({ supervisor }) => printEvents(supervisor, { directory, io }),
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
    printNote(io, end.why === 'idle' ? 'idle: the daemon ends' : 'the daemon was asked to end');
  return survivors.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Creates the server of the Model Context Protocol when a client first asks for it: most daemons never load it. */
function createAttachedLater(supervisor: Supervisor): AttachedClients {
  let clients: Promise<AttachedClients> | null = null;
  let loaded: AttachedClients | null = null;
  const load = async () => {
    const { createAttachedClients } = await import('../../mcp/attach/create-attached-clients.ts');
    loaded = createAttachedClients(supervisor);
    return loaded;
  };
  return {
    serve: async (options, port) => {
      clients ??= load();
      return (await clients).serve(options, port);
    },
    receive: (message) => loaded?.receive(message) ?? null,
  };
}

/** `null`: never idle; `undefined`: the default of the daemon. */
function parseIdle({ idle, forever }: ServeFlags): number | null | undefined {
  if (forever === true || idle === 'none') return null;
  return idle === undefined ? undefined : parseDuration(idle, '--idle');
}

/** Prints every event, at a terminal only: a log file would grow without end. */
function printEvents(
  supervisor: Supervisor,
  { directory, io }: { readonly directory: string; readonly io: CliIo },
): void {
  if (!io.stderr.isTTY) return;
  const adopted = supervisor.list({ live: true }).length;
  const more = adopted === 0 ? '' : `; ${adopted} adopted`;
  printNote(io, `serving ${directory} (pid ${process.pid})${more}; Ctrl-C ends it`);
  supervisor.events$.subscribe((event) => {
    const line = toEventLine(event);
    if (line !== null) printNote(io, line);
  });
}

function toEventLine(event: RuntimeEvent): string | null {
  if (!('process' in event)) return null;
  const { process } = event;
  const name = toProcessName(process);
  if (event.type === 'process.created') return `${name}: ${process.commandLine}`;
  const description = describeProcessEvent(event);
  if (description === null) return null;
  const took =
    'runtimeMs' in process && event.type === 'process.ended'
      ? `, after ${formatDuration(process.runtimeMs)}`
      : '';
  return `${name} ${description}${took}`;
}
