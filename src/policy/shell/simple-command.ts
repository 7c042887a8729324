import type { Directory } from './directories.ts';
import { showWord, type Word } from './word.ts';

/** A file that the shell opens for a command. */
export interface Redirection {
  readonly direction: 'read' | 'write';
  readonly target: Word;
}

/** Program with its arguments, or a shell action without one, such as `> file` and `X=1`. */
export interface SimpleCommand {
  /** Program and arguments, quoting undone. Empty where nothing is run. */
  readonly words: readonly Word[];
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly redirections: readonly Redirection[];
  /** Input text, with NUL for unknown parts; `null` when it shares the input of the whole command. */
  readonly input: Word | null;
  /** Possible working directories. */
  readonly directories: readonly Directory[];
}

/**
 * Returns a file's name without folders and Windows extension, in lower case: some file systems do not distinguish
 * `RM` from `rm`.
 */
function toProgramName(word: Word): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1).toLowerCase();
  return base.replace(/\.(exe|com|cmd|bat)$/, '');
}

export function programOf({ words: [first] }: Pick<SimpleCommand, 'words'>): string {
  return first === undefined ? '' : toProgramName(first);
}

/** Formats a command in one line for patterns and people: assignments, words, redirections; unknown parts are `…`. */
export function showCommand({ assignments, words, redirections }: SimpleCommand): string {
  return [
    ...assignments.map(({ name, value }) => `${name}=${showWord(value)}`),
    ...words.map(showWord),
    ...redirections.map(
      ({ direction, target }) => `${direction === 'write' ? '>' : '<'} ${showWord(target)}`,
    ),
  ].join(' ');
}
