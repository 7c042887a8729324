import { nearest } from '../../../config/nearest.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { toDependencies } from '../../../groups/group-options.ts';
import type { KillAnswer } from '../../../process/process-handle.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../../state-directory/state-directory.ts';
import { parseEndingSignal } from '../../flag-values.ts';
import { toStackOwner } from './find-stack.ts';
import type { Stack } from './stack-file.ts';

/** Finds the processes of a file in the order of their start, whichever program started them; ended ones while they are recorded. */
export async function findStackProcesses(
  file: string,
  state: StateDirectory,
): Promise<{ readonly seen: readonly SeenProcess[]; readonly warnings: readonly string[] }> {
  const { processes, warnings } = await state.list();
  const owner = toStackOwner(file);
  const seen = processes
    .filter(({ view }) => view.owner === owner)
    .toSorted((a, b) => a.view.createdAt - b.view.createdAt);
  return { seen, warnings };
}

/** Stops a process of a stack with the signal named in the file. */
export function stopMember({ id, metadata }: ProcessView, state: StateDirectory): Promise<KillAnswer> {
  const { stopSignal } = metadata;
  const signal = typeof stopSignal === 'string' && { signal: parseEndingSignal(stopSignal, 'stop_signal') };
  return state.kill(id, { by: 'user', ...signal });
}

/** Returns whether no survivor is left. */
export function isStopped(answer: KillAnswer): boolean {
  return !('receipt' in answer) || answer.receipt.survivors.length === 0;
}

/** Arguments of `up` and `down`. */
export interface StackArguments {
  /** The file as given; `undefined`: the nearest one. */
  readonly file: string | undefined;
  /** Names of processes; none means all. */
  readonly names: readonly string[];
}

/** Parses the arguments: a first word that is a path or has a YAML extension is the file, the others are names. */
export function parseStackArguments(words: readonly string[]): StackArguments {
  const [first, ...others] = words;
  return first !== undefined && /[/\\]|\.ya?ml$/i.test(first)
    ? { file: first, names: others }
    : { file: undefined, names: words };
}

/**
 * Selects the named processes and all their dependencies, in the order of the file; all without names.
 *
 * @throws TroupeError `invalid-option` for a name that is not in the file.
 */
export function selectMembers(names: readonly string[], { processes }: Stack): readonly string[] {
  const known = Object.keys(processes);
  for (const name of names) if (!known.includes(name)) throw unknown(name, known);
  if (names.length === 0) return known;
  const chosen = new Set(names);
  // The loop also visits names that it adds.
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
