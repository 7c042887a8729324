import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { createRandomId } from '../../process/process-id.ts';

const ENDING = '.jsonl';

/** A conversation of an earlier chat. */
export interface KeptConversation {
  readonly id: string;
  /** Whose it is; `null` where its id does not say. */
  readonly agent: string | null;
}

/** Where the conversations of a project are kept. */
export function toConversationFile(id: string, directory: string): string {
  return join(directory, '.troupe', 'conversations', `${id}${ENDING}`);
}

/** The agent's name stands in it, so that whoever goes on with it later needs not be told. */
export function createChatId(agent: string): string {
  return `${agent}_${createRandomId()}`;
}

/**
 * Finds the conversation to go on with: by its id or the beginning of it, or the one that was used last, by `agent` if one is named.
 * An agent's name in place of an id means its last one.
 *
 * @throws TroupeError `invalid-option` where there is none, or more than one; the system's error where nobody can look.
 */
export function findKeptConversation(
  wanted: { readonly id: string | null; readonly agent: string | null },
  { directory, program }: { readonly directory: string; readonly program: string },
): KeptConversation {
  const all = listNewestFirst(directory).filter(
    ({ agent }) => wanted.agent === null || agent === null || agent === wanted.agent,
  );
  const [newest] = all;
  if (newest === undefined)
    throw refuse(`There is no conversation to go on with here. Begin one: ${program} chat`);
  if (wanted.id === null) return newest;
  const { id } = wanted;
  const fitting = all.filter((kept) => kept.id.startsWith(id) || kept.id.endsWith(`_${id}`));
  const exact = fitting.find((kept) => kept.id === id) ?? all.find((kept) => kept.agent === id);
  const [found, ...others] = exact === undefined ? fitting : [exact];
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined)
    throw refuse(`${quote(id)} is the beginning of several conversations: ${listIds(fitting)}.`);
  const meant = nearest(
    id,
    all.map((kept) => kept.id),
  );
  throw refuse(
    `There is no conversation ${quote(id)}. ${meant === null ? `The last ones: ${listIds(all)}.` : `Did you mean ${meant}?`}`,
  );
}

function listNewestFirst(directory: string): readonly KeptConversation[] {
  const folder = join(toConversationFile('any', directory), '..');
  return readNames(folder)
    .map((name) => ({
      name,
      changedMs: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.changedMs - a.changedMs)
    .map(({ name }) => toKept(name.slice(0, -ENDING.length)));
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(ENDING));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function toKept(id: string): KeptConversation {
  const [, agent = null] = /^(?!conv_)(.+)_[^_]{8}$/.exec(id) ?? [];
  return { id, agent };
}

function listIds(kept: readonly KeptConversation[]): string {
  return kept
    .slice(0, 5)
    .map(({ id }) => id)
    .join(', ');
}

function refuse(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}
