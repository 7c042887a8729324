import { fileSecretSources, type SecretSource } from '../../config/secret-source.ts';
import { TroupeError } from '../../config/troupe-error.ts';

/**
 * `name=env:VARIABLE` or `name=file:PATH` each. No error repeats what it was given behind the name: that may be the secret itself.
 *
 * @throws TroupeError `invalid-option`
 */
export function readSecrets(assignments: readonly string[]): Readonly<Record<string, SecretSource>> {
  const sources = new Map<string, SecretSource>();
  for (const assignment of assignments) {
    const name = /^([^=]*)=/.exec(assignment)?.[1] ?? '';
    if (!isName(name)) throw noName();
    if (sources.has(name)) throw refusal(`--secret ${name} is given twice; expected each name once.`);
    sources.set(name, readSource(name, assignment.slice(name.length + 1)));
  }
  return Object.fromEntries(sources);
}

function isName(name: string): boolean {
  return fileSecretSources.safeParse({ [name]: { env: 'ANY' } }).success;
}

function readSource(name: string, text: string): SecretSource {
  const [, kind, place] = /^(env|file):(.+)$/s.exec(text) ?? [];
  if (kind === 'env' && place !== undefined) return { env: place };
  if (kind === 'file' && place !== undefined) return { file: place };
  const why = text.startsWith('ask:')
    ? 'a person cannot be asked here'
    : 'every user of this machine can read a command line, so the value itself has no place there';
  throw refusal(
    `--secret ${name} has no source; expected ${name}=env:VARIABLE or ${name}=file:PATH: ${why}.`,
  );
}

function noName(): TroupeError {
  const name = 'a name of letters, digits, "_", "." and "-", 64 at most';
  return refusal(
    `--secret does not begin with ${name}; expected name=env:VARIABLE or name=file:PATH, such as npm-token=env:NPM_TOKEN.`,
  );
}

function refusal(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}
