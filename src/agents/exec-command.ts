import { fileURLToPath } from 'node:url';

/** The command line of the troupe that is running, in sources as well as built: the program that runs delegates. */
export function ownExecCommand(): readonly [string, ...string[]] {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return [process.execPath, fileURLToPath(new URL(`../cli/main.${ending}`, import.meta.url))];
}
