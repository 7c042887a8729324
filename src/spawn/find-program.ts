import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Finds `file` as execvp(3) would, or returns its error: `ENOENT`, or `EACCES` if the only match may not be executed. A script
 * with a missing interpreter is found.
 */
export function findProgram(
  file: string,
  { path, cwd }: { path: string; cwd: string },
): string | NodeJS.ErrnoException {
  const directories = file.includes('/') ? [''] : path.split(':');
  let code = 'ENOENT';
  for (const directory of file === '' ? [] : directories) {
    const candidate = resolve(cwd, directory, file);
    const outcome = tryProgram(candidate);
    if (outcome === null) return candidate;
    if (outcome === 'EACCES') code = outcome;
  }
  return Object.assign(new Error(`spawn ${file} ${code}`), { code });
}

/** Returns `null` for an executable file. */
function tryProgram(candidate: string): 'ENOENT' | 'EACCES' | null {
  try {
    const found = statSync(candidate, { throwIfNoEntry: false });
    if (found === undefined) return 'ENOENT';
    if (!found.isFile()) return 'EACCES';
    accessSync(candidate, constants.X_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'EACCES' : 'ENOENT';
  }
}
