import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Where execvp(3) would find `file`, or the error that it would give: `ENOENT`, `EACCES` where there is only one that may not be
 * run. A script whose interpreter is missing is found.
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

/** `null`: it can be run. */
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
