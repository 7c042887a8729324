import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import type { ProcessView } from '../process/process-view.ts';

/** A process as a person names it, or why it is not clear which one is meant. */
export type Found =
  | { readonly ok: true; readonly view: ProcessView }
  | { readonly ok: false; readonly error: string };

/**
 * Finds a process by its id, by its label, or by the beginning of either as long as only one has it; an id may also begin after
 * its `tool_`. Of several with the same label the one that lives is meant.
 */
export function findProcess(word: string, views: readonly ProcessView[]): Found {
  if (word === '')
    return { ok: false, error: 'Say which process: its id, the beginning of its id, or its label.' };
  const steps: readonly ((view: ProcessView) => boolean)[] = [
    ({ id }) => id === word,
    ({ label }) => label === word,
    ({ id, label }) =>
      id.startsWith(word) || afterKind(id).startsWith(word) || label?.startsWith(word) === true,
  ];
  for (const fits of steps) {
    const found = views.filter(fits);
    const live = found.filter((view) => !('endedAt' in view));
    const [only, ...others] = live.length === 1 ? live : found;
    if (only !== undefined && others.length === 0) return { ok: true, view: only };
    if (only !== undefined) return { ok: false, error: ambiguous(word, found) };
  }
  return { ok: false, error: unknown(word, views) };
}

function afterKind(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

function ambiguous(word: string, found: readonly ProcessView[]): string {
  const ids = found.slice(0, 5).map(({ id }) => id);
  return `${quote(word)} is the beginning of several: ${ids.join(', ')}${found.length > 5 ? ', …' : ''}. Add a character.`;
}

function unknown(word: string, views: readonly ProcessView[]): string {
  const names = views.flatMap(({ id, label }) => (label === null ? [id] : [id, label]));
  const meant = nearest(word, names);
  const hint =
    views.length === 0
      ? 'There are no processes.'
      : meant === null
        ? '/processes lists them.'
        : `Did you mean ${meant}?`;
  return `Process ${quote(word)} not found. ${hint}`;
}
