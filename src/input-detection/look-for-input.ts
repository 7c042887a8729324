import type { AwaitedInput } from '../process/process-view.ts';
import { type BlockedRead, findBlockedRead, findInputSource } from '../spawn/tree/blocked-read.ts';
import { findControllingTerminal } from '../spawn/tree/controlling-terminal.ts';
import { findDescendants } from '../spawn/tree/descendants.ts';
import { knowsCalls } from '../spawn/tree/waiting-call.ts';
import { guessInput } from './guess-input.ts';
import { type Printing, readOpenLine } from './open-line.ts';
import { readTerminalMode } from './terminal-mode.ts';

/** Result of one look. */
export type SeenInput = Omit<AwaitedInput, 'since'>;

/** A process with a terminal, or with a pipe to write to. */
export interface Asker extends Printing {
  /** Of the leader; `null` where none runs, or none that the operating system knows. */
  readonly leaderPid: number | null;
  readonly hasTerminal: boolean;
  /** Where the system does not keep whose children they are. */
  treePids(): Promise<readonly number[]>;
  /** What was seen before: its kind is not read again where all else is as it was. `null`: everything is read. */
  readonly before: SeenInput | null;
}

/**
 * Whether it waits for somebody to type. Known where the system shows a read of its terminal or its pipe and nothing else; where the
 * system cannot say, a guess by the line that it did not end.
 */
export async function lookForInput(asker: Asker): Promise<SeenInput | null> {
  const source = findSource(asker);
  const blocked = await findBlocked(asker, source);
  if (blocked === 'none') return null;
  const prompt = readOpenLine(asker);
  const guess = guessInput(prompt);
  if (blocked !== 'certain' && guess === null) return null;
  const certainty = blocked === 'certain' ? 'known' : 'hint';
  const { before } = asker;
  if (before?.certainty === certainty && before.prompt === prompt) return before;
  const mode = source?.startsWith('/dev/') ? await readTerminalMode(source) : null;
  // Whatever a prompt on a pipe says, what is written there ends with the line.
  const kind = mode ?? (source === null || certainty === 'hint' ? guess : null) ?? 'line';
  return { kind, certainty, prompt };
}

const canSee = process.platform === 'linux' && knowsCalls();

/** Who has a terminal may ask there while its input comes from elsewhere, as for a password before it reads a file. */
function findSource({ leaderPid, hasTerminal }: Asker): string | null {
  if (!canSee || leaderPid === null) return null;
  return (hasTerminal ? findControllingTerminal(leaderPid) : null) ?? findInputSource(leaderPid);
}

async function findBlocked(asker: Asker, source: string | null): Promise<BlockedRead> {
  const { leaderPid } = asker;
  if (!canSee || leaderPid === null) return 'unknown';
  if (source === null) return 'none';
  const pids = findDescendants(leaderPid) ?? (await asker.treePids());
  return findBlockedRead(pids, { source });
}
