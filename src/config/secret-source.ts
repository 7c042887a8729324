import { z } from 'zod';
import { abortSignal } from './abort-signal.ts';

/** Names that may be shown and reveal nothing. */
const secretName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/);

const byName = {
  error: ({ code }: { code?: string }) =>
    code === 'invalid_key'
      ? 'a name of letters, digits, "_", "." and "-", 64 at most, such as "npm-token"'
      : undefined,
};

const variable = z.strictObject({ env: z.string().min(1) });
const file = z.strictObject({ file: z.string().min(1) });
const question = z.strictObject({ ask: z.string().trim().min(1) });

/** Sources of secrets in a file, which never holds a secret itself. */
export const fileSecretSources = z.record(
  secretName,
  z.union([variable, file, question], {
    error: () => 'one of { env: "NPM_TOKEN" }, { file: "/run/secrets/npm" }, { ask: "Your npm token?" }',
  }),
  byName,
);

const secretSource = z.union(
  [
    variable,
    file,
    question,
    z.custom<() => string | Promise<string>>((value) => typeof value === 'function', 'a function'),
  ],
  {
    error: () =>
      'one of { env: "NPM_TOKEN" }, { file: "/run/secrets/npm" }, { ask: "Your npm token?" }, or a function that returns it',
  },
);

export const secretSources = z.record(secretName, secretSource, byName);

/**
 * A source that is read each time the secret is used: a variable of this program, which processes then do not
 * inherit; a regular file, without its final line break, a relative path being resolved against `cwd`; a
 * person; a function.
 */
export type SecretSource =
  | {
      /** Name of a variable of this program. */
      readonly env: string;
    }
  | {
      /** Path of a regular file. */
      readonly file: string;
    }
  | {
      /** Question to a person, see `askSecret`. */
      readonly ask: string;
    }
  | (() => string | Promise<string>);

/** A request to a person for a secret. */
export interface SecretQuestion {
  /** The name of the secret. */
  readonly name: string;
  readonly ask: string;
  /** The process that needs it. */
  readonly processId: string;
  readonly commandLine: string;
}

/**
 * Asks a person for a secret without echo. `null`: no answer. The signal is aborted when the answer is no
 * longer needed.
 */
export type AskSecret = (question: SecretQuestion, signal: AbortSignal) => Promise<string | null>;

/** Schema of `SecretOptions`. */
export const writeSecretOptions = z.strictObject({
  pressEnter: z.boolean().default(true),
  value: z.string().optional(),
  signal: abortSignal.optional(),
});

/** The secret to write. */
export const secretCall = z.object({
  name: z.custom<string>((value) => typeof value === 'string', 'the name of a secret, such as "npm-token"'),
});
