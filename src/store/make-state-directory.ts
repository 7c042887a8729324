import { chmodSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { makeDirectory } from './make-directory.ts';
import { checkPrivateDirectory } from './private-files.ts';
import type { StatePaths } from './state-paths.ts';

/**
 * Checks a state directory and those in it, as far as they are there.
 *
 * @throws TroupeError `state-directory` for a link, a directory of another user, and one that others may write to and that holds other
 * things as well.
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
 * Makes a state directory (0700) that version control ignores: what it holds was printed by commands. One that is there is checked, and
 * closed to other users.
 *
 * @throws what `checkStateDirectory` and `makeDirectory` throw.
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
    // There is one, or none can be written: nothing depends on it.
  }
}

const OTHERS_WRITE = 0o022;

function partsOf({ processes, supervisors, conversations, schedules }: StatePaths): readonly string[] {
  return [processes, supervisors, conversations, schedules];
}

/** The mode of a directory that others may write to; `null` for every other one. */
function openModeOf(path: string): number | null {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() && (stats.mode & OTHERS_WRITE) !== 0 ? stats.mode & 0o7777 : null;
  } catch {
    return null;
  }
}

/** Not what a person named who takes a whole project, or the temporary directory, for the state directory. */
function holdsOnlyOurs(paths: StatePaths): boolean {
  const parts = partsOf(paths).map((path) => basename(path));
  return readdirSync(paths.directory).every(
    (name) => parts.includes(name) || name === '.gitignore' || name.startsWith('recovery.lock'),
  );
}
