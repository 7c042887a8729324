import { posix } from 'node:path';
import { isCertain, UNKNOWN, type Word } from './word.ts';

/** A `cd` on the way to a command: it went there, or it failed because there is no such directory. */
type Step = { readonly to: Word } | { readonly notTo: Word };

/** Possible directory of a command: the steps from where the shell was started. */
export type Directory = readonly Step[];

const MAX_DIRECTORIES = 8;
const MAX_STEPS = 32;

export const unknownDirectory: Directory = [{ to: UNKNOWN }];

/** Joins sets without duplicates; more than a few count as unknown. */
export function joinDirectories(...sets: (readonly Directory[])[]): readonly Directory[] {
  const all = new Map(sets.flat().map((directory) => [JSON.stringify(directory), directory]));
  return all.size > MAX_DIRECTORIES ? [unknownDirectory] : [...all.values()];
}

/** Adds one step to each directory. */
export function addStep(directories: readonly Directory[], step: Step): readonly Directory[] {
  return directories.map((directory) =>
    directory.length < MAX_STEPS ? [...directory, step] : unknownDirectory,
  );
}

export function haveChanged(before: readonly Directory[], after: readonly Directory[]): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}

/** Returns the target of `cd`, `pushd` or `popd`; `null` for other commands. */
export function toChangeOfDirectory(words: readonly Word[]): Word | null {
  const [name, ...rest] = words;
  if (name === 'builtin' || name === 'command') return toChangeOfDirectory(rest);
  if (name === 'popd') return UNKNOWN;
  if (name !== 'cd' && name !== 'pushd') return null;
  const start = rest.findIndex((word) => word === '-' || !word.startsWith('-'));
  const target = start === -1 ? undefined : rest[start];
  if (target === undefined) return name === 'cd' && !rest.includes('--') ? '~' : UNKNOWN;
  return target === '-' ? UNKNOWN : target;
}

/**
 * Returns where `path` may lead, without disk access. An unknown directory counts as `/dev`, where a name can do the
 * most harm. Behind a link `..` may lead further up than the names suggest, so what follows it also counts from the
 * root.
 */
export function toLexicalPaths(path: Word, directories: readonly Directory[]): readonly string[] {
  const reached = directories.map((directory) => {
    const steps = directory.flatMap((step) => ('to' in step ? [step.to] : []));
    return steps.every(isCertain)
      ? posix.resolve('/', ...steps.filter((step) => !step.startsWith('~')), path)
      : posix.resolve('/dev', path);
  });
  const [, behindUp] = /(?:^|\/)\.\.\/+((?:(?!\.\.).)*)$/s.exec(path) ?? [];
  const all = behindUp === undefined ? reached : [...reached, posix.resolve('/', behindUp)];
  return all.map((found) => found.replace(/^(\/proc\/[\w-]+\/root)+(?=\/)/, ''));
}
