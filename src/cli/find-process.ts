import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../state-directory/state-directory.ts';
import { type CliIo, printError, printNote, toProgramName } from './cli-io.ts';
import { toProcessName } from './render/process-text.ts';

/** The process that a person named, or why none or more than one fits. */
export type Found =
  | { readonly ok: true; readonly view: ProcessView }
  | { readonly ok: false; readonly error: string };

export interface FindOptions {
  readonly views: readonly ProcessView[];
  /** The command that lists processes, for hints. */
  readonly listing: string;
}

/**
 * Finds a process by its id, its label, or an unambiguous beginning of either; the beginning of an id may omit its `tool_`. Of several
 * processes with the same label, it returns the live one; if none is alive, the newest.
 */
export function findProcess(word: string, { views, listing }: FindOptions): Found {
  if (word === '')
    return { ok: false, error: 'Name a process: its id, its label, or the beginning of either.' };
  const steps: readonly ((view: ProcessView) => boolean)[] = [
    ({ id }) => id === word,
    ({ label }) => label === word,
    ({ id, label }) =>
      id.startsWith(word) || afterKind(id).startsWith(word) || label?.startsWith(word) === true,
  ];
  for (const fits of steps) {
    const found = views.filter(fits);
    const only = toOnly(found);
    if (only !== null) return { ok: true, view: only };
    if (found.length > 0) return { ok: false, error: ambiguous(word, found) };
  }
  return { ok: false, error: unknown(word, { views, listing }) };
}

function toOnly(found: readonly ProcessView[]): ProcessView | null {
  const live = found.filter((view) => !('endedAt' in view));
  const [only, ...others] = live.length === 1 ? live : found;
  if (only === undefined || others.length === 0) return only ?? null;
  const areOneAfterAnother =
    live.length === 0 && only.label !== null && others.every(({ label }) => label === only.label);
  return areOneAfterAnother ? found.reduce((a, b) => (b.createdAt >= a.createdAt ? b : a)) : null;
}

function afterKind(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

function ambiguous(word: string, found: readonly ProcessView[]): string {
  const names = found.slice(0, 5).map(toProcessName);
  const more = found.length > 5 ? ', …' : '';
  if (found.every(({ label }) => label === word))
    return `${quote(word)} is the label of several processes: ${names.join(', ')}${more}. Give an id.`;
  return `${quote(word)} fits several processes: ${names.join(', ')}${more}. Add a character.`;
}

function unknown(word: string, { views, listing }: FindOptions): string {
  const names = views.flatMap(({ id, label }) => (label === null ? [id] : [id, label]));
  const meant = nearest(word, names);
  const hint =
    views.length === 0
      ? 'There are no processes.'
      : meant === null
        ? `${listing} lists them.`
        : `Did you mean ${meant}?`;
  return `Process ${quote(word)} not found. ${hint}`;
}

export interface Chosen {
  /** Processes in the order they were named, without duplicates. */
  readonly processes: readonly SeenProcess[];
  /** Words that fit no process, or more than one. */
  readonly missed: readonly { readonly word: string; readonly error: string }[];
  /** Problems with reading the records, which may explain why a process was not found. */
  readonly warnings: readonly string[];
}

/** Finds processes as a person names them: by id, label, or the beginning of either. */
export async function chooseProcesses(
  words: readonly string[],
  { state, io }: { readonly state: StateDirectory; readonly io: Pick<CliIo, 'env'> },
): Promise<Chosen> {
  const { processes, warnings } = await state.list();
  const views = processes.map(({ view }) => view);
  const listing = `${toProgramName(io.env)} ps -a`;
  const chosen = new Set<SeenProcess>();
  const missed: { word: string; error: string }[] = [];
  for (const word of words) {
    const found = findProcess(word, { views, listing });
    const seen = found.ok ? processes.find(({ view }) => view === found.view) : undefined;
    if (seen !== undefined) chosen.add(seen);
    else if (!found.ok) missed.push({ word, error: found.error });
  }
  return { processes: [...chosen], missed, warnings };
}

/** Prints which words name no process, and the problems with reading the records. */
export function printMissed({ missed, warnings }: Chosen, io: CliIo): void {
  for (const { error } of missed) printError(io, error);
  if (missed.length > 0) for (const warning of warnings) printNote(io, warning);
}

/** Finds the process that a person named; `null` after printing why there is none. */
export async function chooseProcess(
  word: string,
  deps: { readonly state: StateDirectory; readonly io: CliIo },
): Promise<SeenProcess | null> {
  const chosen = await chooseProcesses([word], deps);
  printMissed(chosen, deps.io);
  return chosen.processes[0] ?? null;
}
