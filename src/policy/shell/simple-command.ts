import { posix } from 'node:path';
import { showWord, UNKNOWN, type Word } from './word.ts';

/** A file that the shell opens for a command. */
export interface Redirection {
  readonly direction: 'read' | 'write';
  readonly target: Word;
}

/** A `cd` on the way to a command. */
interface Step {
  readonly to: Word;
  /** True if the `cd` succeeded; otherwise it may have failed. */
  readonly isReached: boolean;
}

/** Directory of a command: the steps from where the shell was started. */
export type Directory = readonly Step[];

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

/** Initial directories and input of a shell. */
export interface ShellStart {
  readonly directories: readonly Directory[];
  readonly input: Word | null;
}

/** Returns a file's name without folders and Windows extension, in lower case: some file systems do not distinguish `RM` from `rm`. */
export function programOf({ words: [first = ''] }: Pick<SimpleCommand, 'words'>): string {
  const base = first.slice(Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')) + 1).toLowerCase();
  return base.replace(/\.(exe|com|cmd|bat)$/, '');
}

/** Returns the target of `cd`, `pushd` or `popd`; `null` for other commands. */
export function toChangeOfDirectory([name, ...rest]: readonly Word[]): Word | null {
  if (name === 'builtin' || name === 'command') return toChangeOfDirectory(rest);
  if (name === 'popd') return UNKNOWN;
  if (name !== 'cd' && name !== 'pushd') return null;
  const target = rest.find((word) => word === '-' || !word.startsWith('-'));
  if (target === undefined) return name === 'cd' ? '~' : UNKNOWN;
  return target === '-' ? UNKNOWN : target;
}

/** Returns where `path` may lead by the names alone, `null` for an unknown directory. `~` is the home. */
export function toLexicalPaths(
  path: Word,
  { directories, home }: { readonly directories: readonly Directory[]; readonly home: string },
): readonly (string | null)[] {
  return directories.map((steps) => {
    const all = [...steps.map(({ to }) => to), path].map((step) =>
      /^~(?=\/|$)/.test(step) ? home + step.slice(1) : step,
    );
    const known = all.slice(all.findLastIndex((step) => step.startsWith('/')));
    return known[0]?.startsWith('/') === true && known.every((step) => !step.startsWith(UNKNOWN))
      ? posix.resolve('/', ...known)
      : null;
  });
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
