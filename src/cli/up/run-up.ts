import { dirname, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRealClock } from '../../clock/real-clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { startGroup } from '../../groups/create-group.ts';
import type { GroupEnd, GroupReadiness, ProcessGroup } from '../../groups/process-group.ts';
import type { FinalView } from '../../process/process-view.ts';
import { openStateDirectory } from '../../state-directory/open-state-directory.ts';
import type { RuntimeEvent } from '../../supervisor/runtime-event.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import { type CliIo, printError, printNote } from '../cli-io.ts';
import {
  type EndSignal,
  isSentBySystem,
  keepIgnoringBrokenPipes,
  listEndSignals,
  toSignalCode,
} from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { openSupervisor } from '../open-supervisor.ts';
import { showProgress } from '../render/progress-line.ts';
import { findStateDirectory } from '../with-state.ts';
import { describeEvent } from './describe-event.ts';
import { findStackFile, loadStack, toStackOwner } from './find-stack.ts';
import { createMergedLog } from './merged-log.ts';
import { planChanges, reportChanges, stopChanged } from './plan-changes.ts';
import type { Stack } from './stack-file.ts';
import { findStackProcesses, parseStackArguments, selectMembers } from './stack-processes.ts';
import type { UpFlags } from './up-flags.ts';

export interface UpCall {
  /** A file, and names of its processes. */
  readonly words: readonly string[];
  readonly flags: UpFlags;
  readonly io: CliIo;
}

/**
 * Starts what is missing of the stack of a file, restarts what has changed, and shows what these print until they are stopped or have
 * ended. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`, where nothing was started.
 */
export async function runUp({ words, flags, io }: UpCall): Promise<number> {
  const { file: named, names } = parseStackArguments(words);
  const file = findStackFile(named, io);
  const stack = await loadStack(file, io);
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  const state = openStateDirectory({ directory });
  try {
    const { seen, warnings } = await findStackProcesses(file, state);
    for (const warning of warnings) printNote(io, warning);
    const changes = planChanges(stack, { names: selectMembers(names, stack), seen });
    reportChanges(changes, { file, io });
    if (Object.keys(changes.start).length === 0) return exitCodes.done;
    if (flags.detach === true) {
      const { runDetached } = await import('./run-detached.ts');
      return await runDetached({ file, names }, { directory, state, io });
    }
    await stopChanged(changes, { state, io });
    return await runForeground({ file, strategy: stack.strategy, processes: changes.start, directory, io });
  } finally {
    state.close();
  }
}

interface ForegroundOptions {
  readonly file: string;
  readonly strategy: Stack['strategy'];
  readonly processes: Stack['processes'];
  readonly directory: string;
  readonly io: CliIo;
}

async function runForeground({
  file,
  strategy,
  processes,
  directory,
  io,
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

/** Prints what each process writes, and what becomes of it. */
function showAll(
  supervisor: Supervisor,
  { names, io, above }: { names: readonly string[]; io: CliIo; above: (print: () => void) => void },
) {
  const log = createMergedLog(names, { io, above });
  const follows = new Map<string, Promise<void>>();
  const remark = async (event: ProcessEvent, words: string) => {
    const { id, label } = event.process;
    // What it printed before stands above.
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
    const words = describeEvent(event);
    if (words !== null) void remark(event, words);
  });
  return { all: () => Promise.all([...follows.values()]).then(nextTurn) };
}

type ProcessEvent = Extract<RuntimeEvent, { readonly process: unknown }>;

/** The first signal asks for an orderly end, the second kills all at once, the third ends this program as it is. */
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
    `${signal}: stopping in reverse order${io.stderr.isTTY ? '; Ctrl-C again kills at once' : ''}`,
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

/** What ended as it was told to, or came to its own good end, is no failure. */
function toExitCode({ members }: GroupEnd): number {
  const isGood = (end: FinalView | null) => end?.status === 'completed' || end?.status === 'killed';
  return members.every(({ end }) => isGood(end)) ? exitCodes.done : exitCodes.failed;
}
