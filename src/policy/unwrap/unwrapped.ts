import type { SimpleCommand } from '../shell/simple-command.ts';
import type { Word } from '../shell/word.ts';

/** Commands that a command runs beside itself. */
export interface Unwrapped {
  /** Programs that it runs without a shell. */
  readonly commands: readonly SimpleCommand[];
  /** Text that it gives to a shell, with what that shell is fed. */
  readonly scripts: readonly { readonly text: Word; readonly command: SimpleCommand }[];
  /** Reasons why more may run, each as the end of a sentence that begins with "it". */
  readonly doubts: readonly string[];
  /** Arguments, except those of the commands that it runs. */
  readonly ownWords: readonly Word[];
  readonly isTransparent: boolean;
  /** The boundary of its own words is a guess. */
  readonly isGuess?: boolean;
}

/** A command that runs nothing but itself. */
export function nothingInside({ words }: SimpleCommand): Unwrapped {
  return { commands: [], scripts: [], doubts: [], ownWords: words.slice(1), isTransparent: false };
}
