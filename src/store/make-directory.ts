import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/**
 * Creates a directory and its missing parents, each 0700; an existing one keeps its mode. Node's `recursive`
 * option reports a read-only file system as ENOENT, and never returns where the system always says ENOENT,
 * such as below /proc.
 *
 * @throws the system's error with the path; TroupeError `state-directory` where no directory can exist.
 */
export function makeDirectory(path: string): void {
  for (const place of listMissing(resolve(path))) makeOne(place);
}

/** Lists missing directories from the top down. */
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
    // Another program was faster.
    if (code === 'EEXIST' && isDirectory(path)) return;
    if (code !== 'ENOENT') throw error;
    const message = `The directory ${quote(path)} cannot be created: ${quote(dirname(path))} accepts none, or was just removed. Choose another directory.`;
    throw new TroupeError({ code: 'state-directory', message, cause: error });
  }
}

/** Returns false for anything else; creating a directory there reports it. */
function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
