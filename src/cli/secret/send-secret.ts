import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WriteResult } from '../../../machines/process/events.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines } from '../cli-io.ts';

import { exitCodes, toSignalCode } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';
import { type Asked, askSecret } from './ask-secret.ts';

export interface SecretFlags extends StateFlags, SecretSource {
  readonly secret: string;
  /** `false`: Enter is not pressed after the secret. */
  readonly newline: boolean;
}

type SecretInput = VerbInput<SecretFlags> & {
  readonly word: string;
  readonly text: readonly string[];
  /** Asks for the secret. Default: asks the person at the terminal. */
  readonly ask?: (question: string) => Promise<Asked>;
};

/**
 * Writes a secret to a process: from the source given by flags, else the one that its supervisor knows by that name, else one that a
 * person types. The value appears in no output. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`
 */
export function sendSecret(input: SecretInput): Promise<number> {
  const { flags, io, text, ask = askSecret } = input;
  if (text.length > 0) {
    const message = '--secret takes no text: everybody on this machine can read a command line.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const value = findSecret(flags, io);
  return withState(input, async (state) => {
    const chosen = await chooseProcess(input.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const name = toProcessName(chosen.view);
    const known = await write({ id, value }, { state, flags });
    if (known.ok || value !== null || known.code !== 'invalid') return report(known, { flags, io, id, name });

    const asked = await ask(`${flags.secret} for ${name}`);
    if (asked.type === 'left') return toSignalCode('SIGINT');
    if (asked.type === 'noTerminal' || asked.value === '') {
      const problem =
        asked.type === 'noTerminal' ? known.error : 'nothing was typed, so nothing was written.';
      printError(io, problem, 'Give a source: --from-env NAME or --from-file FILE.');
      return exitCodes.failed;
    }
    const written = await write({ id, value: asked.value }, { state, flags });
    return report(written, { flags, io, id, name });
  });
}

function write(
  { id, value }: { readonly id: string; readonly value: string | null },
  { state, flags }: { readonly state: StateDirectory; readonly flags: SecretFlags },
): Promise<WriteResult> {
  return state.writeSecret(id, {
    name: flags.secret,
    pressEnter: flags.newline,
    ...(value !== null && { value }),
  });
}

function report(
  result: WriteResult,
  { flags, io, id, name }: { flags: SecretFlags; io: CliIo; id: string; name: string },
): number {
  if (flags.json === true)
    printLines(io, JSON.stringify({ id, ok: result.ok, error: result.ok ? null : result.error }));
  else if (!result.ok) printError(io, result.error);
  else if (flags.quiet !== true) printLines(io, `${flags.secret} was written to ${name}.`);
  return result.ok ? exitCodes.done : exitCodes.failed;
}

/** Source of the value of a secret. The value is never part of the command line, which everybody on the machine can read. */
export interface SecretSource {
  /** Name of an environment variable of this program. */
  readonly fromEnv?: string;
  readonly fromFile?: string;
}

/**
 * Reads the value from the given source; `null` without one.
 *
 * @throws TroupeError `invalid-option` for an empty source or for two sources; the system's error for an unreadable file.
 */
export function findSecret(
  { fromEnv, fromFile }: SecretSource,
  { env, cwd }: Pick<CliIo, 'env' | 'cwd'>,
): string | null {
  if (fromEnv !== undefined && fromFile !== undefined)
    throw refuse('--from-env and --from-file exclude each other: give one.');
  if (fromEnv !== undefined) return orRefuse(env[fromEnv] ?? '', `the variable ${quote(fromEnv)} is not set`);
  if (fromFile === undefined) return null;
  // Editors end the last line of a file with a line feed.
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
