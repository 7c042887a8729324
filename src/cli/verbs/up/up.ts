import { dirname, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { createRealClock } from '../../../clock/real-clock.ts';
import { toErrorText } from '../../../config/error-text.ts';
import { startGroup } from '../../../groups/create-group.ts';
import type { GroupEnd, GroupReadiness, ProcessGroup } from '../../../groups/process-group.ts';
import type { FinalView } from '../../../process/process-view.ts';
import { openStateDirectory } from '../../../state-directory/open-state-directory.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import type { RuntimeEvent } from '../../../supervisor/runtime-event.ts';
import type { Supervisor } from '../../../supervisor/supervisor.ts';
import { type CliIo, printError, printNote } from '../../cli-io.ts';
import {
  type EndSignal,
  isSentBySystem,
  keepIgnoringBrokenPipes,
  listEndSignals,
} from '../../end-signals.ts';
import { exitCodes, toSignalCode } from '../../exit-codes.ts';
import { lockStart } from '../../lock-start.ts';
import { openSupervisor } from '../../open-supervisor.ts';
import { describeProcessEvent } from '../../render/process-text.ts';
import { showProgress } from '../../render/progress-line.ts';
import { type DefineVerb, type FlagsOf, stateDirFlag } from '../../verb.ts';
import { findStateDirectory } from '../../with-state.ts';
import { findStackFile, loadStack, toStackOwner } from './find-stack.ts';
import { createMergedLog } from './merged-log.ts';
import { planChanges, reportChanges, stopChanged } from './plan-changes.ts';
import type { Stack } from './stack-file.ts';
import { findStackProcesses, parseStackArguments, selectMembers } from './stack-processes.ts';

const addFlags = (command: Command) =>
  command
    .argument('[words...]', 'the file (default: the nearest troupe.yaml upwards) and names of processes')
    .option('-d, --detach', 'return when all are ready; they keep running')
    .option(...stateDirFlag);

/** Defines `troupe up`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Starts the processes of a file, in order, and shows their output until they are stopped.')
    .usage('[options] [file] [name...]')
    .addHelpText(
      'after',
      `
The file:
  processes:
    db:
      command: [postgres, -D, data]
      ready: { port: 5432 }
      stop_signal: INT
    migrate:
      command: npm run migrate
      depends_on: [db]
    web:
      command: npm run dev
      depends_on: { db: ready, migrate: completed }
      env_file: .env
      env: { PORT: 3000 }
      ready: { http: "http://127.0.0.1:3000/" }
      restart: on-failure

Also: cwd, shell, interactive, one_shot, kill_grace, max_background_time,
leftovers. Next to processes: env for all of them, and strategy: oneForAll or
restForOne restart other processes together with a failed one.

A process is restarted only if it has restart: on-failure or always, or if the
file has a strategy. \${NAME} and \${NAME:-default} in a value are replaced from
the environment, else from .env beside the file, except in a command that is
text for the shell.

Names select processes and their dependencies. While some are running, it starts
the missing ones, restarts those that changed in the file, leaves the others
alone, and lists those that are no longer in the file.

Ctrl-C stops all in reverse order, and a second one kills them at once. To stop
them in order from another shell: ${name} down`,
    )
    .action(async (words, flags) => end(await runUp({ words, flags, io })));
};

interface UpCall {
  /** A file and names of its processes. */
  readonly words: readonly string[];
  readonly flags: FlagsOf<typeof addFlags>;
  readonly io: CliIo;
}

/**
 * Starts the missing processes of a stack, restarts the changed ones, and shows their output until they have ended. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`, before anything is started.
 */
async function runUp({ words, flags, io }: UpCall): Promise<number> {
  const { file: named, names } = parseStackArguments(words);
  const file = findStackFile(named, io);
  const stack = await loadStack(file, io);
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  const state = openStateDirectory({ directory });
  const plan = async () => {
    const { seen, warnings } = await findStackProcesses(file, state);
    for (const warning of warnings) printNote(io, warning);
    const changes = planChanges(stack, { names: selectMembers(names, stack), seen });
    reportChanges(changes, { file, io });
    return changes;
  };
  try {
    if (flags.detach === true) {
      const { start } = await plan();
      if (Object.keys(start).length === 0) return exitCodes.done;
      const { runDetached } = await import('./up-detached.ts');
      return await runDetached({ file, names }, { directory, state, io });
    }
    const release = await lockStack(file, { state, io });
    try {
      const changes = await plan();
      if (Object.keys(changes.start).length === 0) return exitCodes.done;
      await stopChanged(changes, { state, io });
      const { strategy } = stack;
      const processes = changes.start;
      return await runForeground({ file, strategy, processes, directory, io, onStarted: release });
    } finally {
      release();
    }
  } finally {
    state.close();
  }
}

/** Waits until no other `up` of this file is starting processes, so that none is started twice. */
function lockStack(file: string, { state, io }: { state: StateDirectory; io: CliIo }) {
  const shown = relative(io.cwd, file);
  return lockStart(state, {
    kind: 'stack',
    name: file,
    withinMs: Number.POSITIVE_INFINITY,
    advice: `it starts the processes of ${shown}`,
    onWait: () => printNote(io, `another up is starting the processes of ${shown}; waiting until it is done`),
  });
}

interface ForegroundOptions {
  readonly file: string;
  readonly strategy: Stack['strategy'];
  readonly processes: Stack['processes'];
  readonly directory: string;
  readonly io: CliIo;
  /** Called when every start has succeeded or failed. */
  readonly onStarted: () => void;
}

async function runForeground({
  file,
  strategy,
  processes,
  directory,
  io,
  onStarted,
}: ForegroundOptions): Promise<number> {
  const names = Object.keys(processes);
  const supervisor = openSupervisor({
    stateDirectory: directory,
    io,
    cwd: dirname(file),
    owner: toStackOwner(file),
    maxBackgroundProcesses: names.length,
  });
  let group: ProcessGroup | null = null;
  const progress = showProgress({ text: () => describeWait(group), io, clock: createRealClock() });
  let isWaiting = true;
  const endWait = () => {
    if (isWaiting) progress.end();
    isWaiting = false;
  };
  const above = (print: () => void) => (isWaiting ? progress.above(print) : print());
  const shown = showAll(supervisor, { names, io, above });
  const signals = listenForSignals(supervisor);
  try {
    group = startGroup(supervisor, { strategy, processes });
    const ready = await Promise.race([group.ready(), signals.first]);
    endWait();
    onStarted();
    if (typeof ready !== 'string') reportReadiness(ready, { io, file });
    const end = await Promise.race([group.ended, signals.first]);
    if (typeof end === 'string') return await stopInOrder(group, { signal: end, io });
    await shown.all();
    return toExitCode(end);
  } finally {
    endWait();
    await supervisor.shutdown();
    await shown.all();
    signals.remove();
  }
}

/** Prints the output and the events of each process. */
function showAll(
  supervisor: Supervisor,
  { names, io, above }: { names: readonly string[]; io: CliIo; above: (print: () => void) => void },
) {
  const log = createMergedLog(names, { io, above });
  const follows = new Map<string, Promise<void>>();
  const annotate = async (event: ProcessEvent, words: string) => {
    const { id, label } = event.process;
    // Output printed before the event comes first.
    await (event.type === 'process.ended' ? follows.get(id) : nextTurn());
    log.annotate(label ?? id, words);
  };
  supervisor.events$.subscribe((event) => {
    if (event.type === 'supervisor.faulted') return printNote(io, toErrorText(event.error));
    if (!('process' in event)) return;
    const { id, label } = event.process;
    const process = supervisor.get(id);
    if (event.type === 'process.created' && process !== undefined)
      follows.set(id, log.follow(label ?? id, process));
    const words = describeProcessEvent(event);
    if (words !== null) void annotate(event, words);
  });
  return { all: () => Promise.all([...follows.values()]).then(nextTurn) };
}

type ProcessEvent = Extract<RuntimeEvent, { readonly process: unknown }>;

/** The first signal requests an orderly end, the second kills everything, the third ends this program immediately. */
function listenForSignals(supervisor: Supervisor) {
  keepIgnoringBrokenPipes();
  const { promise: first, resolve } = Promise.withResolvers<EndSignal>();
  let count = 0;
  const listeners = listEndSignals().map((signal) => {
    const listener = (_name: string, number?: number) => {
      if (signal === 'SIGPIPE' && (count > 0 || isSentBySystem(number))) return;
      count += 1;
      if (count > 2) process.exit(toSignalCode(signal));
      if (count === 1) return resolve(signal);
      for (const { id } of supervisor.list({ live: true })) {
        void supervisor.kill(id, { signal: 'SIGKILL', grace: 0 });
      }
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  const remove = () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
  return { first, remove };
}

async function stopInOrder(
  group: ProcessGroup,
  { signal, io }: { signal: EndSignal; io: CliIo },
): Promise<number> {
  printNote(
    io,
    `${signal}: stopping in reverse order${io.stderr.isTTY ? '; press Ctrl-C again to kill at once' : ''}`,
  );
  const { ok, message } = await group.stop();
  if (!ok) printError(io, message);
  return toSignalCode(signal);
}

function describeWait(group: ProcessGroup | null): string {
  const members = group?.view().members ?? [];
  const waiting = members
    .filter(({ process }) => process === null || !('ready' in process) || process.ready.state === 'waiting')
    .map(({ name }) => name);
  return `waiting for ${waiting.join(', ') || 'the start'}`;
}

function reportReadiness({ ok, message }: GroupReadiness, { io, file }: { io: CliIo; file: string }): void {
  if (ok) return printNote(io, message);
  const [first = '', ...more] = message.split('\n');
  printError(io, `not all of ${relative(io.cwd, file)} is up: ${first}`, ...more);
}

/** Returns 0 if every process completed or was killed as requested. */
function toExitCode({ members }: GroupEnd): number {
  const isGood = (end: FinalView | null) => end?.status === 'completed' || end?.status === 'killed';
  return members.every(({ end }) => isGood(end)) ? exitCodes.done : exitCodes.failed;
}
