import type { SimpleCommand } from '../shell/simple-command.ts';
import type { Word } from '../shell/word.ts';

/** What a command runs beside itself. */
export interface Unwrapped {
  /** Programs that it runs without a shell. */
  readonly commands: readonly SimpleCommand[];
  /** Text that it gives to a shell, with what that shell is fed. */
  readonly scripts: readonly { readonly text: Word; readonly command: SimpleCommand }[];
  /** Why more may be run than that, as the end of a sentence that begins with "it". */
  readonly doubts: readonly string[];
  /** Its arguments without those that belong to what it runs. */
  readonly ownWords: readonly Word[];
  readonly isTransparent: boolean;
  /** Where its own words end is a guess. */
  readonly isGuess?: boolean;
}

/** A command that runs nothing but itself. */
export function nothingInside({ words }: SimpleCommand): Unwrapped {
  return { commands: [], scripts: [], doubts: [], ownWords: words.slice(1), isTransparent: false };
}
