import { lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CliIo } from './cli-io.ts';

const NAME = '.troupe';

/**
 * Where records are kept, absolute: what the flag names, or TROUPE_STATE_DIR, or the nearest `.troupe` of this user from here upwards;
 * without any, `.troupe` here. Nothing is made.
 */
export function findStateDirectory({
  flag,
  io: { cwd, env },
}: {
  readonly flag: string | undefined;
  readonly io: Pick<CliIo, 'cwd' | 'env'>;
}): string {
  const named = flag ?? env['TROUPE_STATE_DIR'];
  if (named !== undefined && named !== '') return resolve(cwd, named);
  for (let place = cwd; ; place = dirname(place)) {
    if (isOurs(join(place, NAME))) return join(place, NAME);
    if (dirname(place) === place) return join(cwd, NAME);
  }
}

/**
 * Where the processes of an agent are kept: as above. `false` where that cannot be, because a file stands there; its work does not
 * depend on it.
 */
export function findAgentStateDirectory(io: Pick<CliIo, 'cwd' | 'env'>): string | false {
  const directory = findStateDirectory({ flag: undefined, io });
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false ? false : directory;
}

/** A link to a directory counts, and is refused where it is opened: to pass over it in silence would use another directory. */
function isOurs(path: string): boolean {
  try {
    return lstatSync(path).uid === process.geteuid?.() && statSync(path).isDirectory();
  } catch {
    return false;
  }
}
