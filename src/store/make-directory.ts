import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/**
 * Makes a directory with those above it, each 0700. One that is there stays as it is. Not with `recursive` of Node, which calls a
 * read-only file system ENOENT, and never comes back where the system says ENOENT for good, as below /proc.
 *
 * @throws what the system says, with the path; TroupeError `state-directory` where no directory can be.
 */
export function makeDirectory(path: string): void {
  for (const place of listMissing(resolve(path))) makeOne(place);
}

/** From the top down. */
function listMissing(path: string): readonly string[] {
  const missing: string[] = [];
  for (let place = path; !isDirectory(place); place = dirname(place)) missing.unshift(place);
  return missing;
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Somebody else was quicker.
    if (code === 'EEXIST' && isDirectory(path)) return;
    if (code !== 'ENOENT') throw error;
    const message = `The directory ${quote(path)} cannot be made: ${quote(dirname(path))} takes none, or was just removed. Name a directory in another place.`;
    throw new TroupeError({ code: 'state-directory', message, cause: error });
  }
}

/** What is no directory is named by the system when one is made there. */
function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
