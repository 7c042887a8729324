import type { Directory } from './directories.ts';
import { showWord, type Word } from './word.ts';

/** A file that the shell opens for a command. */
export interface Redirection {
  readonly direction: 'read' | 'write';
  readonly target: Word;
}

/** One program with its arguments, or what a shell does without any, such as `> file` and `X=1`. */
export interface SimpleCommand {
  /** Program and arguments, quoting undone. Empty where nothing is run. */
  readonly words: readonly Word[];
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly redirections: readonly Redirection[];
  /** What is fed to it: text, with NUL where it cannot be told; `null` when it reads what the whole command reads. */
  readonly input: Word | null;
  /** Where it may run. */
  readonly directories: readonly Directory[];
}

/** A file's name without its folders and its Windows ending, in lower case: some file systems do not tell `RM` from `rm`. */
function toProgramName(word: Word): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).toLowerCase();
  return base.replace(/\.(exe|com|cmd|bat)$/, '');
}

export function programOf({ words: [first] }: Pick<SimpleCommand, 'words'>): string {
  return first === undefined ? '' : toProgramName(first);
}

/** One line that patterns are matched against and people are shown: assignments, words, redirections; what cannot be told is `…`. */
export function showCommand({ assignments, words, redirections }: SimpleCommand): string {
  return [
    ...assignments.map(({ name, value }) => `${name}=${showWord(value)}`),
    ...words.map(showWord),
    ...redirections.map(
      ({ direction, target }) => `${direction === 'write' ? '>' : '<'} ${showWord(target)}`,
    ),
  ].join(' ');
}
