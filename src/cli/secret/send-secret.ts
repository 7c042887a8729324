import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WriteResult } from '../../../machines/process/events.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines } from '../cli-io.ts';
import { toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';
import { type Asked, askSecret } from './ask-secret.ts';

export interface SecretFlags extends StateFlags, SecretSource {
  readonly secret: string;
  /** `false`: without Enter behind it. */
  readonly newline: boolean;
}

type SecretScene = VerbInput<SecretFlags> & {
  readonly word: string;
  readonly text: readonly string[];
  /** By default the person at the terminal is asked. */
  readonly ask?: (question: string) => Promise<Asked>;
};

/**
 * Writes a secret to a process: from the place that was named, else the one that its supervisor knows by that name, else what a person
 * types. Its value stands in no answer. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`
 */
export function sendSecret(scene: SecretScene): Promise<number> {
  const { flags, io, text, ask = askSecret } = scene;
  if (text.length > 0) {
    const message = 'with --secret no text is given: everybody on this machine can read a command line.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const value = findSecret(flags, io);
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const name = toProcessName(chosen.view);
    const known = await write({ id, value }, { state, flags });
    if (known.ok || value !== null || known.code !== 'invalid') return tell(known, { flags, io, id, name });

    const asked = await ask(`${flags.secret} for ${name}`);
    if (asked.type === 'left') return toSignalCode('SIGINT');
    if (asked.type === 'nobody' || asked.value === '') {
      const problem = asked.type === 'nobody' ? known.error : 'nothing was typed, and nothing was written.';
      printError(io, problem, 'Name a place: --from-env NAME, or --from-file FILE.');
      return exitCodes.failed;
    }
    const written = await write({ id, value: asked.value }, { state, flags });
    return tell(written, { flags, io, id, name });
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

function tell(
  result: WriteResult,
  { flags, io, id, name }: { flags: SecretFlags; io: CliIo; id: string; name: string },
): number {
  if (flags.json === true)
    printLines(io, JSON.stringify({ id, ok: result.ok, error: result.ok ? null : result.error }));
  else if (!result.ok) printError(io, result.error);
  else if (flags.quiet !== true) printLines(io, `${flags.secret} was written to ${name}.`);
  return result.ok ? exitCodes.done : exitCodes.failed;
}

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
