import { dirname } from 'node:path';
import { toErrorText } from '../../config/error-text.ts';
import { createFileJournal } from '../../store/file-journal.ts';
import type { Journal } from '../../store/journal.ts';
import { makeStateDirectory } from '../../store/make-state-directory.ts';
import { toStatePaths } from '../../store/state-paths.ts';
import { describeFileError } from '../print-fault.ts';

/** What a chat is kept in. */
export interface Keeping {
  /** `null`: it is not kept. */
  readonly journal: Journal | null;
  /** A sentence for the person where it is not kept. */
  readonly remark: string | null;
}

/** Opens the journal of an earlier chat. @throws what the system says, or TroupeError, where it cannot be gone on with. */
export function openJournal(file: string): Keeping & { readonly journal: Journal } {
  makeStateDirectory(toStatePaths(dirname(dirname(file))));
  const journal = createFileJournal(file);
  const entries = journal.read();
  return { journal: { ...journal, read: () => entries }, remark: null };
}

/** Opens a new journal; a chat that cannot be kept is still a chat. */
export function openNewJournal(file: string): Keeping {
  try {
    return openJournal(file);
  } catch (error) {
    const why = describeFileError(error) ?? toErrorText(error);
    return { journal: null, remark: `The conversation cannot be kept: ${why} It goes on without.` };
  }
}
