import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { CliIo } from '../cli-io.ts';

const NAMES = ['troupe.yaml', 'troupe.yml'] as const;

/**
 * The file of a stack, absolute: the one that is named, which need not be there, or the nearest upwards.
 *
 * @throws TroupeError `invalid-option` where none is named and there is none.
 */
export function findStackFile(named: string | undefined, { cwd }: Pick<CliIo, 'cwd'>): string {
  if (named !== undefined) return resolve(cwd, named);
  const found = findUpwards(cwd);
  if (found !== null) return found;
  const message = `there is no ${NAMES.join(' or ')} in ${quote(cwd)} or above it. Write one, or name another file.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

function findUpwards(directory: string): string | null {
  const found = NAMES.map((name) => join(directory, name)).find((file) => existsSync(file));
  const parent = dirname(directory);
  if (found !== undefined || parent === directory) return found ?? null;
  return findUpwards(parent);
}

/** Who the processes of that file belong to: it is how `down` finds them. */
export function toStackOwner(file: string): string {
  return `up:${file}`;
}
