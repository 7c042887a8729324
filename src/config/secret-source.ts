import { z } from 'zod';

/** What a secret is called: a name that can be said, and says nothing. */
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

/** Where a secret comes from, as it may stand in a file: the secret itself has no place there. */
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
    z.custom<() => string | Promise<string>>((value) => typeof value === 'function'),
  ],
  {
    error: () =>
      'one of { env: "NPM_TOKEN" }, { file: "/run/secrets/npm" }, { ask: "Your npm token?" }, or a function that gives it',
  },
);

export const secretSources = z.record(secretName, secretSource, byName);

/**
 * Where a secret is read each time it is used: a variable of this program, which no process inherits then; a regular file, without
 * the line break at its end, a relative path counts from `cwd`; a person; a function.
 */
export type SecretSource = z.output<typeof secretSource>;

/** What a person is asked who has a secret. */
export interface SecretQuestion {
  /** Of the secret. */
  readonly name: string;
  readonly ask: string;
  /** Which process it is for. */
  readonly processId: string;
  readonly commandLine: string;
}

/** Asks a person, without showing what is typed. `null`: no answer. The signal is aborted when nobody wants it any more. */
export type AskSecret = (question: SecretQuestion, signal: AbortSignal) => Promise<string | null>;

export const writeSecretOptions = z.strictObject({
  /** Enter in a terminal, a line break in a pipe. */
  pressEnter: z.boolean().default(true),
  /** What the caller knows already: no source is asked. */
  value: z.string().optional(),
  signal: z.instanceof(AbortSignal, { error: 'an AbortSignal' }).optional(),
});

/** Which secret is to be written. */
export const secretCall = z.object({
  name: z.custom<string>((value) => typeof value === 'string', 'the name of a secret, such as "npm-token"'),
});
