import type { WriteFailure } from '../../../machines/process/events.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { isEnded, toRevealed } from '../process-summary.ts';
import type { Outcome } from './outcome.ts';

/** What to do where there is no terminal, in the words of the tools that are used. */
export interface TerminalWords {
  /** How to see what it printed: a sentence. */
  readonly read: string;
  /** How to answer a process that has got a pipe in place of its terminal: a sentence. */
  readonly write: string;
  /** The same for one that perhaps has a pipe. */
  readonly answer: string;
  /** The field for text that is typed as it stands. */
  readonly textField: string;
}

/** The answer where a terminal was asked for something in vain. */
export function refuseTerminal(
  handle: ProcessHandle,
  { refusal, instead }: { refusal: { code: WriteFailure; error: string }; instead: string },
): Outcome<never> {
  const view = handle.view();
  const { code } = refusal;
  const hint = code === 'noTerminal' || (code === 'broken' && isEnded(view)) ? ` ${instead}` : '';
  const error = `${refusal.error}${hint}`;
  // A tool that was used on the wrong process does what it should.
  return { ok: false, error, reveals: toRevealed(view), ...(code === 'noTerminal' && { worked: true }) };
}
