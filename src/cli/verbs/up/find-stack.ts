import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { toError } from '../../../config/error-text.ts';
import { parseYaml } from '../../../config/parse-yaml.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { CliIo } from '../../cli-io.ts';
import { toErrnoText } from '../../errno-text.ts';
import { checkStack, type Stack } from './stack-file.ts';

const NAMES = ['troupe.yaml', 'troupe.yml'] as const;

/**
 * Returns the absolute path of a stack file: the named one, which need not exist, or the nearest upwards.
 *
 * @throws TroupeError `invalid-option` if none is named and none is found.
 */
export function findStackFile(named: string | undefined, { cwd }: Pick<CliIo, 'cwd'>): string {
  if (named !== undefined) return resolve(cwd, named);
  const found = findUpwards(cwd);
  if (found !== null) return found;
  const message = `there is no ${NAMES.join(' or ')} in ${quote(cwd)} or above it. Create one, or name another file.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

function findUpwards(directory: string): string | null {
  const found = NAMES.map((name) => join(directory, name)).find((file) => existsSync(file));
  const parent = dirname(directory);
  if (found !== undefined || parent === directory) return found ?? null;
  return findUpwards(parent);
}

/** Returns the owner of the processes of a file, by which `down` finds them. */
export function toStackOwner(file: string): string {
  return `up:${file}`;
}

/** Reads a stack file. @throws TroupeError `invalid-option`, with file, line and column of each problem on a line of its own. */
export async function loadStack(file: string, { cwd, env }: Pick<CliIo, 'cwd' | 'env'>): Promise<Stack> {
  const shown = relative(cwd, file);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code } = toError(error) as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file' : (toErrnoText({ code }) ?? toError(error).message);
    const message = `${quote(shown)} cannot be read: ${why}.`;
    throw new TroupeError({ code: 'invalid-option', message, cause: error });
  });
  const directory = dirname(file);
  const variables = { ...(await readDotEnv(directory, cwd)), ...withoutUnset(env) };
  const check = (value: unknown) => checkStack(value, { directory, env: variables });
  return parseYaml(text, { file: shown, code: 'invalid-option', check });
}

/**
 * Reads `.env` beside a stack file, whose variables the environment overrides. They replace `${NAME}` only; no process gets them.
 *
 * @throws TroupeError `invalid-option` for a file that cannot be read.
 */
async function readDotEnv(directory: string, cwd: string): Promise<Environment> {
  const file = join(directory, '.env');
  try {
    return parseEnv(await readFile(file, 'utf8'));
  } catch (error) {
    const { code } = toError(error) as NodeJS.ErrnoException;
    // Some programs have a directory of this name.
    if (code === 'ENOENT' || code === 'EISDIR') return {};
    const why = toErrnoText({ code }) ?? toError(error).message;
    const message = `${quote(relative(cwd, file))} cannot be read: ${why}.`;
    throw new TroupeError({ code: 'invalid-option', message, cause: error });
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

function withoutUnset(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}
