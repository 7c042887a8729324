import { constants } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import type { AskSecret, SecretQuestion, SecretSource } from '../config/secret-source.ts';

/** Length below which redaction would hide ordinary text, too; blanks do not count. */
const minSecretCharacters = 4;

/** Secrets of one supervisor, by name. Values are read each time they are used and kept nowhere. */
export interface SecretResolver {
  /** Says why there is no secret of that name; `null` where there is one. */
  refuse(name: string): string | null;
  /** Never rejects, and no error reveals the value. Once the signal is aborted no source is waited for. */
  resolve(request: SecretRequest, signal: AbortSignal): Promise<SecretAnswer>;
}

type SecretRequest = Omit<SecretQuestion, 'ask'>;

type SecretAnswer =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: string };

export function createSecretResolver(options: {
  readonly sources: Readonly<Record<string, SecretSource>>;
  readonly cwd: string;
  /** `null` where no person can be asked. */
  readonly ask: AskSecret | null;
}): SecretResolver {
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
      return refused(name, 'a person would have to be asked for it, and there is no person to ask');
    const value = await ask(question, signal);
    return value === null
      ? refused(name, 'the person who was asked for it gave no answer')
      : checked(name, value);
  };

  const open = async (
    source: SecretSource,
    { request, signal }: { request: SecretRequest; signal: AbortSignal },
  ): Promise<SecretAnswer> => {
    const { name } = request;
    if (typeof source === 'function') return checked(name, await source());
    if ('ask' in source) return askPerson({ ...request, ask: source.ask }, signal);
    if ('file' in source) return readSecretFile(source.file, { name, cwd, signal });
    const value = process.env[source.env];
    return value === undefined
      ? refused(name, `the variable ${source.env} is not set in the program that supervises`)
      : checked(name, value);
  };

  return {
    refuse,
    resolve: async (request, signal) => {
      const source = sources.get(request.name);
      if (source === undefined) return { ok: false, error: refuse(request.name) ?? '' };
      const answer = () =>
        open(source, { request, signal }).catch((error) =>
          refused(request.name, describeFailure(source, error)),
        );
      return untilUnwanted(answer, { name: request.name, signal });
    },
  };
}

/** Gives up when the signal is aborted: a source may ignore it and never answer. */
async function untilUnwanted(
  answer: () => Promise<SecretAnswer>,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<SecretAnswer> {
  const unwanted = refused(name, 'no caller waits for it any more');
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
  // Without O_NONBLOCK opening a FIFO would wait for a writer and occupy a thread of the pool.
  const file = await openFile(resolve(cwd, path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if ((await file.stat()).isFile()) return checked(name, await file.readFile({ encoding: 'utf8', signal }));
    return refused(name, `the file ${quote(path)} is not a regular file but a directory, a pipe or a device`);
  } finally {
    await file.close();
  }
}

/** Returns a resolver that answers each name with the value that the caller knows. */
export function createFixedResolver(value: string): SecretResolver {
  return { refuse: () => null, resolve: async ({ name }) => checked(name, value) };
}

/** Repeats only the error code of the system: the error of a source may contain the value. */
function describeFailure(source: SecretSource, error: unknown): string {
  if (typeof source === 'function') return 'the function that returns it has failed';
  if (!('file' in source)) return 'asking for it has failed';
  const { code } = error as NodeJS.ErrnoException;
  return `the file ${quote(source.file)} cannot be read${code === undefined ? '' : ` (${code})`}`;
}

/** Removes the line break that ends a file and is not part of the secret. */
function checked(name: string, given: unknown): SecretAnswer {
  if (typeof given !== 'string') return refused(name, 'its source gave no text');
  const value = given.replace(/\r?\n$/, '');
  const characters = value.replaceAll(/\s/g, '').length;
  if (characters === 0) return refused(name, 'it is empty');
  if (characters >= minSecretCharacters) return { ok: true, value };
  const why = `it has fewer than ${minSecretCharacters} characters, and redacting it would also redact ordinary text`;
  return refused(name, why);
}

function refused(name: string, why: string): SecretAnswer {
  return { ok: false, error: `The secret ${quote(name)} was not written: ${why}.` };
}
