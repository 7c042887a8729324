import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { toDependencies } from '../../groups/group-options.ts';
import type { Stack } from './stack-file.ts';

/** The words behind `up` and `down`. */
export interface StackWords {
  /** As it was named; `undefined`: the nearest one. */
  readonly file: string | undefined;
  /** Of processes; none means all. */
  readonly names: readonly string[];
}

/** Takes the first word for a file where it is a path or ends as YAML does; the others are names of processes. */
export function readStackWords(words: readonly string[]): StackWords {
  const [first, ...others] = words;
  return first !== undefined && /[/\\]|\.ya?ml$/i.test(first)
    ? { file: first, names: others }
    : { file: undefined, names: words };
}

/**
 * The processes that are named and all that they depend on, in the order of the file; all where none is named.
 *
 * @throws TroupeError `invalid-option` for a name that is not in the file.
 */
export function chooseMembers(names: readonly string[], { processes }: Stack): readonly string[] {
  const known = Object.keys(processes);
  for (const name of names) if (!known.includes(name)) throw unknown(name, known);
  if (names.length === 0) return known;
  const chosen = new Set(names);
  // What is added while it is walked is walked, too.
  for (const name of chosen) {
    for (const needed of toDependencies(processes[name]?.dependsOn).keys()) chosen.add(needed);
  }
  return known.filter((name) => chosen.has(name));
}

function unknown(name: string, known: readonly string[]): TroupeError {
  const meant = nearest(name, known);
  const hint = meant === null ? `It has ${known.join(', ')}.` : `Did you mean ${meant}?`;
  const message = `There is no process ${quote(name)} in the file. ${hint}`;
  return new TroupeError({ code: 'invalid-option', message });
}
