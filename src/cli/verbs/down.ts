import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { KillAnswer } from '../../process/process-handle.ts';
import { hasLiveMembers, type ProcessView } from '../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { createPage } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import { addStateFlags, type DefineVerb, type StateFlags } from '../verb.ts';
import { type OpenState, withState } from '../with-state.ts';
import { findStackFile } from './up/find-stack.ts';
import { findStackProcesses, isStopped, parseStackArguments, stopMember } from './up/stack-processes.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command.argument(
      '[words...]',
      'the file (default: the nearest troupe.yaml upwards) and names of processes',
    ),
    { json: 'print one JSON array', quiet: 'print only errors' },
  );

/** Defines `troupe down`. */
export const define: DefineVerb = (command, { io, end }) => {
  addFlags(command)
    .description(
      'Stops the processes that up started from a file: the last one first, each gone before the next.',
    )
    .usage('[options] [file] [name...]')
    .action(async (words, flags) => end(await runDown({ words, flags, io })));
};

interface DownCall {
  /** A file and names of its processes. */
  readonly words: readonly string[];
  readonly flags: StateFlags;
  readonly io: CliIo;
  readonly open?: OpenState;
}

interface Stopped {
  readonly name: string;
  readonly id: string;
  readonly answer: KillAnswer;
}

/**
 * Stops the processes of a file, or the named ones, including leftovers of ended ones, whichever program started them. The last one
 * started is stopped first, each proven gone before the next. @returns the exit code.
 */
export async function runDown({ words, flags, io, open }: DownCall): Promise<number> {
  const { file: named, names } = parseStackArguments(words);
  const file = findStackFile(named, io);
  return withState({ flags, io, ...(open !== undefined && { open }) }, async (state) => {
    const { seen, warnings } = await findStackProcesses(file, state);
    const isMeant = ({ label }: ProcessView) =>
      names.length === 0 || (label !== null && names.includes(label));
    const running = seen.filter(({ view }) => hasLiveMembers(view) && isMeant(view));
    for (const warning of warnings) printNote(io, warning);
    const stopped: Stopped[] = [];
    for (const seen of running.toReversed()) stopped.push(await stop(seen, { state, flags, io }));
    if (flags.json === true) printLines(io, JSON.stringify(stopped));
    else if (running.length === 0 && flags.quiet !== true)
      printNote(io, `nothing of ${[describe(file, io), ...names].join(' ')} is running`);
    return stopped.every(({ answer }) => isStopped(answer)) ? exitCodes.done : exitCodes.failed;
  });
}

async function stop(
  { view }: SeenProcess,
  { state, flags, io }: { state: StateDirectory; flags: StateFlags; io: CliIo },
): Promise<Stopped> {
  const name = view.label ?? view.id;
  const answer = await stopMember(view, state);
  const stopped = { name, id: view.id, answer };
  const { paint } = createPage(io.stdout);
  const words = `${toPrintable(name)}: ${toPrintable(answer.message)}`;
  if (!isStopped(answer)) printError(io, words);
  else if (flags.json !== true && flags.quiet !== true) printLines(io, `${paint('green', '✓')} ${words}`);
  return stopped;
}

function describe(file: string, { cwd }: Pick<CliIo, 'cwd'>): string {
  return `${relative(cwd, file)}${existsSync(file) ? '' : ', which does not exist,'}`;
}
