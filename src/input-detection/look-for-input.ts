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
  /** Pid of the leader; `null` if it does not run or is not a process of the operating system. */
  readonly leaderPid: number | null;
  readonly hasTerminal: boolean;
  /** Returns the pids of the tree, for systems that do not record the parents of processes. */
  treePids(): Promise<readonly number[]>;
  /** Result of the previous look, whose kind is reused if nothing else has changed; `null` to read everything. */
  readonly before: SeenInput | null;
}

/**
 * Detects whether a process waits for input. Certain if the system shows that it reads its terminal or pipe and nothing else; otherwise
 * a guess from its unfinished line.
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
  // Input on a pipe always ends with the line, whatever the prompt says.
  const kind = mode ?? (source === null || certainty === 'hint' ? guess : null) ?? 'line';
  return { kind, certainty, prompt };
}

const canSee = process.platform === 'linux' && knowsCalls();

/** Returns the path from which input is read: the terminal if there is one, even if stdin is redirected, as for a password prompt. */
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
