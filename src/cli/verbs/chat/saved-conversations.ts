import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toErrorText } from '../../../config/error-text.ts';
import { nearest } from '../../../config/nearest.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { createRandomId } from '../../../process/process-id.ts';
import { createFileJournal } from '../../../store/file-journal.ts';
import type { Journal } from '../../../store/journal.ts';
import { makeStateDirectory } from '../../../store/make-state-directory.ts';
import { toStatePaths } from '../../../store/state-paths.ts';
import { describeFileError } from '../../print-fault.ts';

const ENDING = '.jsonl';

/** A conversation of an earlier chat. */
export interface SavedConversation {
  readonly id: string;
  /** The agent's name; `null` if the id does not contain it. */
  readonly agent: string | null;
}

/** Returns the file that a conversation of a project is saved in. */
export function toConversationFile(id: string, directory: string): string {
  return join(directory, '.troupe', 'conversations', `${id}${ENDING}`);
}

/** Creates an id that begins with the agent's name, so that a resumed chat finds its agent. */
export function createChatId(agent: string): string {
  return `${agent}_${createRandomId()}`;
}

/**
 * Finds a conversation by its id or the beginning of it, or the one used last, of `agent` if that is given.
 * The name of an agent instead of an id means its last conversation.
 *
 * @throws TroupeError `invalid-option` if none or several fit; the system's error if the folder cannot be read.
 */
export function findSavedConversation(
  wanted: { readonly id: string | null; readonly agent: string | null },
  { directory, program }: { readonly directory: string; readonly program: string },
): SavedConversation {
  const all = listNewestFirst(directory).filter(
    ({ agent }) => wanted.agent === null || agent === null || agent === wanted.agent,
  );
  const [newest] = all;
  if (newest === undefined)
    throw refuse(`There is no conversation to resume here. Start one: ${program} chat`);
  if (wanted.id === null) return newest;
  const { id } = wanted;
  const fitting = all.filter((each) => each.id.startsWith(id) || each.id.endsWith(`_${id}`));
  const exact = fitting.find((each) => each.id === id) ?? all.find((each) => each.agent === id);
  const [found, ...others] = exact === undefined ? fitting : [exact];
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined) throw refuse(`${quote(id)} fits several conversations: ${listIds(fitting)}.`);
  const meant = nearest(
    id,
    all.map((each) => each.id),
  );
  throw refuse(
    `There is no conversation ${quote(id)}. ${meant === null ? `The last ones: ${listIds(all)}.` : `Did you mean ${meant}?`}`,
  );
}

function listNewestFirst(directory: string): readonly SavedConversation[] {
  const folder = join(toConversationFile('any', directory), '..');
  return readNames(folder)
    .map((name) => ({
      name,
      changedMs: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.changedMs - a.changedMs)
    .map(({ name }) => toSaved(name.slice(0, -ENDING.length)));
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(ENDING));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function toSaved(id: string): SavedConversation {
  const [, agent = null] = /^(?!conv_)(.+)_[^_]{8}$/.exec(id) ?? [];
  return { id, agent };
}

function listIds(conversations: readonly SavedConversation[]): string {
  return conversations
    .slice(0, 5)
    .map(({ id }) => id)
    .join(', ');
}

function refuse(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}

/** The journal of a chat. */
export interface ChatJournal {
  /** `null`: the chat is not saved. */
  readonly journal: Journal | null;
  /** Says why the chat is not saved. */
  readonly remark: string | null;
}

/** Opens the journal of an earlier chat. @throws the system's error or a TroupeError if it cannot be resumed. */
export function openJournal(file: string): ChatJournal & { readonly journal: Journal } {
  makeStateDirectory(toStatePaths(dirname(dirname(file))));
  const journal = createFileJournal(file);
  const entries = journal.read();
  return { journal: { ...journal, read: () => entries }, remark: null };
}

/** Opens a new journal. If it cannot be written, the chat runs without one. */
export function openNewJournal(file: string): ChatJournal {
  try {
    return openJournal(file);
  } catch (error) {
    const why = describeFileError(error) ?? toErrorText(error);
    return { journal: null, remark: `The conversation cannot be saved: ${why} It continues unsaved.` };
  }
}
