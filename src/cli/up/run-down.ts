import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { SeenProcess, StateDirectory } from '../../control/state-directory.ts';
import type { KillAnswer } from '../../process/process-handle.ts';
import { type CliIo, complain, note, say } from '../cli-io.ts';
import { exitCodes } from '../exit-code.ts';
import { createPage } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import type { StateFlags } from '../state/state-flags.ts';
import { type OpenState, withState } from '../state/with-state.ts';
import { findRunning } from './find-running.ts';
import { findStackFile } from './find-stack-file.ts';

export interface DownCall {
  readonly file: string | undefined;
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
 * Ends the processes of a file, whichever program started them: the last that was started first, each proven gone before the next.
 * @returns the exit code.
 */
export async function runDown({ file: named, flags, io, open }: DownCall): Promise<number> {
  const file = findStackFile(named, io);
  return withState({ flags, io, ...(open !== undefined && { open }) }, async (state) => {
    const { running, warnings } = await findRunning(file, state);
    for (const warning of warnings) note(io, warning);
    const stopped: Stopped[] = [];
    for (const seen of running.toReversed()) stopped.push(await stop(seen, { state, flags, io }));
    if (flags.json === true) say(io, JSON.stringify(stopped));
    else if (running.length === 0) note(io, `nothing of ${describe(file, io)} is running`);
    return stopped.every(isGone) ? exitCodes.done : exitCodes.failed;
  });
}

async function stop(
  { view }: SeenProcess,
  { state, flags, io }: { state: StateDirectory; flags: StateFlags; io: CliIo },
): Promise<Stopped> {
  const name = view.label ?? view.id;
  const answer = await state.kill(view.id, { by: 'user' });
  const stopped = { name, id: view.id, answer };
  const { paint } = createPage(io.stdout);
  const words = `${toPrintable(name)}: ${toPrintable(answer.message)}`;
  if (!isGone(stopped)) complain(io, words);
  else if (flags.json !== true) say(io, `${paint('green', '✓')} ${words}`);
  return stopped;
}

function describe(file: string, { cwd }: Pick<CliIo, 'cwd'>): string {
  return `${relative(cwd, file)}${existsSync(file) ? '' : ', which is not there,'}`;
}

/** One that ended by itself meanwhile is gone as well. */
function isGone({ answer }: Stopped): boolean {
  return !('receipt' in answer) || answer.receipt.survivors.length === 0;
}
