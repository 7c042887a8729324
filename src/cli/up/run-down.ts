import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { KillAnswer } from '../../process/process-handle.ts';
import { hasLiveMembers, type ProcessView } from '../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { createPage } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import type { StateFlags } from '../verb.ts';
import { type OpenState, withState } from '../with-state.ts';
import { findStackFile } from './find-stack.ts';
import { findStackProcesses, isStopped, parseStackArguments, stopMember } from './stack-processes.ts';

export interface DownCall {
  /** A file, and names of its processes. */
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
 * Ends the processes of a file or those that are named, with what ended ones left behind, whichever program started them: the last that was started first, each proven gone before the next.
 * @returns the exit code.
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
    else if (running.length === 0)
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
  else if (flags.json !== true) printLines(io, `${paint('green', '✓')} ${words}`);
  return stopped;
}

function describe(file: string, { cwd }: Pick<CliIo, 'cwd'>): string {
  return `${relative(cwd, file)}${existsSync(file) ? '' : ', which is not there,'}`;
}
