import { constants } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import type { AskSecret, SecretQuestion, SecretSource } from '../config/secret-source.ts';

/** With fewer characters, blanks not counted, ordinary text would be hidden with it. */
export const leastCharacters = 4;

/** The secrets of one supervisor, by name. Values are read each time they are used and kept nowhere. */
export interface SecretBook {
  /** In words why there is no secret of that name; `null` where there is one. */
  refuse(name: string): string | null;
  /** Never rejects; no error says anything of the value. Once the signal is aborted no source is waited for. */
  read(wish: Omit<SecretQuestion, 'ask'>, signal: AbortSignal): Promise<SecretAnswer>;
}

export type SecretAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: string };

export function createSecretBook(options: {
  readonly sources: Readonly<Record<string, SecretSource>>;
  readonly cwd: string;
  /** `null` where there is nobody to ask. */
  readonly ask: AskSecret | null;
}): SecretBook {
  const { cwd, ask } = options;
  const sources = new Map(Object.entries(options.sources));

  const refuse = (name: string) => {
    if (sources.has(name)) return null;
    const names = [...sources.keys()];
    if (names.length === 0) return `There is no secret ${quote(name)}: none is configured here.`;
    const meant = nearest(name, names);
    const hint = meant === null ? '' : ` Did you mean ${quote(meant)}?`;
    return `There is no secret ${quote(name)}.${hint} Known names: ${names.join(', ')}.`;
  };

  const askPerson = async (question: SecretQuestion, signal: AbortSignal): Promise<SecretAnswer> => {
    const { name } = question;
    if (ask === null)
      return refused(name, 'a person would have to be asked for it, and there is nobody to ask');
    const value = await ask(question, signal);
    return value === null
      ? refused(name, 'the person who was asked for it gave no answer')
      : checked(name, value);
  };

  const open = async (
    source: SecretSource,
    { wish, signal }: { wish: Omit<SecretQuestion, 'ask'>; signal: AbortSignal },
  ): Promise<SecretAnswer> => {
    const { name } = wish;
    if (typeof source === 'function') return checked(name, await source());
    if ('ask' in source) return askPerson({ ...wish, ask: source.ask }, signal);
    if ('file' in source) return readSecretFile(source.file, { name, cwd, signal });
    const value = process.env[source.env];
    return value === undefined
      ? refused(name, `the variable ${source.env} is not set in the program that supervises`)
      : checked(name, value);
  };

  return {
    refuse,
    read: async (wish, signal) => {
      const source = sources.get(wish.name);
      if (source === undefined) return { ok: false, error: refuse(wish.name) ?? '' };
      const answer = () =>
        open(source, { wish, signal }).catch((error) => refused(wish.name, describeFailure(source, error)));
      return untilUnwanted(answer, { name: wish.name, signal });
    },
  };
}

/** Gives up with the signal: a source may never answer, and need not know of it. */
async function untilUnwanted(
  answer: () => Promise<SecretAnswer>,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<SecretAnswer> {
  const unwanted = refused(name, 'nobody waits for it any more');
  if (signal.aborted) return unwanted;
  const { promise, resolve: giveUp } = Promise.withResolvers<SecretAnswer>();
  const onAbort = () => giveUp(unwanted);
  signal.addEventListener('abort', onAbort);
  return Promise.race([answer(), promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

async function readSecretFile(
  path: string,
  { name, cwd, signal }: { readonly name: string; readonly cwd: string; readonly signal: AbortSignal },
): Promise<SecretAnswer> {
  // Else to open a pipe would wait for somebody to write, in a thread that others need.
  const file = await openFile(resolve(cwd, path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if ((await file.stat()).isFile()) return checked(name, await file.readFile({ encoding: 'utf8', signal }));
    return refused(name, `the file ${quote(path)} is no regular file, but a directory, a pipe or a device`);
  } finally {
    await file.close();
  }
}

/** A secret that the caller knows, as if it were in a book of its own. */
export function bookOf(value: string): SecretBook {
  return { refuse: () => null, read: async ({ name }) => checked(name, value) };
}

/** What a source throws may have the value in it: only what the system says is repeated. */
function describeFailure(source: SecretSource, error: unknown): string {
  if (typeof source === 'function') return 'the function that gives it has failed';
  if (!('file' in source)) return 'asking for it has failed';
  const { code } = error as NodeJS.ErrnoException;
  return `the file ${quote(source.file)} cannot be read${code === undefined ? '' : ` (${code})`}`;
}

/** A file ends with a line break that is none of the secret. */
function checked(name: string, given: unknown): SecretAnswer {
  if (typeof given !== 'string') return refused(name, 'its source gave no text');
  const value = given.replace(/\r?\n$/, '');
  const characters = value.replaceAll(/\s/g, '').length;
  if (characters === 0) return refused(name, 'it is empty');
  if (characters >= leastCharacters) return { ok: true, value };
  const why = `it has fewer than ${leastCharacters} characters, and to hide it would hide ordinary text`;
  return refused(name, why);
}

function refused(name: string, why: string): SecretAnswer {
  return { ok: false, error: `The secret ${quote(name)} was not written: ${why}.` };
}
