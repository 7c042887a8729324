import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { CliIo } from '../cli-io.ts';

/** Where the value of a secret comes from. It is never a word of the command line, where everybody on the machine could read it. */
export interface SecretSource {
  /** The name of a variable of our environment. */
  readonly fromEnv?: string;
  readonly fromFile?: string;
}

/**
 * The value from the place that was named; `null` where none was.
 *
 * @throws TroupeError `invalid-option` where there is nothing, or two places; what the system says of the file.
 */
export function findSecret(
  { fromEnv, fromFile }: SecretSource,
  { env, cwd }: Pick<CliIo, 'env' | 'cwd'>,
): string | null {
  if (fromEnv !== undefined && fromFile !== undefined)
    throw refuse('--from-env and --from-file are two places: name one.');
  if (fromEnv !== undefined) return orRefuse(env[fromEnv] ?? '', `the variable ${quote(fromEnv)} is not set`);
  if (fromFile === undefined) return null;
  // An editor ends the last line of every file.
  const text = readFileSync(resolve(cwd, fromFile), 'utf8').replace(/\r?\n$/, '');
  return orRefuse(text, `the file ${quote(fromFile)} is empty`);
}

function orRefuse(value: string, problem: string): string {
  if (value === '') throw refuse(`${problem}; expected the secret there.`);
  return value;
}

function refuse(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}
