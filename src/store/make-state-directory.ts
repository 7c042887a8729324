import { chmodSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { makeDirectory } from './make-directory.ts';
import { checkPrivateDirectory } from './private-files.ts';
import type { StatePaths } from './state-paths.ts';

/**
 * Checks a state directory and its parts that exist.
 *
 * @throws TroupeError `state-directory` for a link, for a directory of another user, and for one that is
 * writable for others and holds other things as well.
 */
export function checkStateDirectory(paths: StatePaths): void {
  const { directory } = paths;
  for (const path of [directory, ...partsOf(paths)]) checkPrivateDirectory(path);
  const mode = openModeOf(directory);
  if (mode === null || holdsOnlyOurs(paths)) return;
  const message = `Other users can write to the directory ${quote(directory)} (0${mode.toString(8)}). Close it with chmod go-w, or name another state directory.`;
  throw new TroupeError({ code: 'state-directory', message });
}

/**
 * Creates a state directory (0700) that version control ignores, since it holds output of commands. An
 * existing one is checked and closed to other users.
 *
 * @throws the errors of `checkStateDirectory` and `makeDirectory`.
 */
export function makeStateDirectory(paths: StatePaths): void {
  checkStateDirectory(paths);
  makeDirectory(paths.directory);
  for (const path of [paths.directory, ...partsOf(paths)]) {
    const mode = openModeOf(path);
    if (mode !== null) chmodSync(path, mode & ~OTHERS_WRITE);
  }
  try {
    if (holdsOnlyOurs(paths))
      writeFileSync(join(paths.directory, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch {
    // The file exists or cannot be written; nothing depends on it.
  }
}

const OTHERS_WRITE = 0o022;

function partsOf({ processes, supervisors, conversations, schedules }: StatePaths): readonly string[] {
  return [processes, supervisors, conversations, schedules];
}

/** Returns the mode of a directory that is writable for others; `null` for any other. */
function openModeOf(path: string): number | null {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() && (stats.mode & OTHERS_WRITE) !== 0 ? stats.mode & 0o7777 : null;
  } catch {
    return null;
  }
}

/**
 * Returns false for a whole project or the temporary directory, which a user may have named as state
 * directory.
 */
function holdsOnlyOurs(paths: StatePaths): boolean {
  const parts = partsOf(paths).map((path) => basename(path));
  return readdirSync(paths.directory).every(
    (name) => parts.includes(name) || name === '.gitignore' || name.startsWith('recovery.lock'),
  );
}
