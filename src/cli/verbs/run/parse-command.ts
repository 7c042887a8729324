import { resolve } from 'node:path';
import type { CommandSpec } from '../../../config/process-spec.ts';
import { quote } from '../../../config/quote.ts';
import { host as hostSchema, readRemoteVariables, SERVERS_VARIABLE } from '../../../config/remote-options.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { CliIo } from '../../cli-io.ts';

export interface CommandWords {
  readonly words: readonly string[];
  /** The only word is a script for the shell. */
  readonly isShell: boolean;
}

/** Parses the command. @throws TroupeError `invalid-option` */
export function parseCommand({ words, isShell }: CommandWords): string | [string, ...string[]] {
  const [program = '', ...args] = words;
  if (isShell && args.length > 0) {
    const message = `--shell takes one text, and ${words.length} words were given: put the command in quotes.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  if (program.trim() === '') {
    throw new TroupeError({ code: 'invalid-option', message: 'the command is empty; expected a program.' });
  }
  return isShell ? program : [program, ...args];
}

/** Suggests `--shell` if the missing program looks like a shell command. */
export function suggestShell({ words, isShell }: CommandWords): readonly string[] {
  const [program = ''] = words;
  const isText = !isShell && words.length === 1 && /\s/.test(program);
  return isText ? [`To run it in the shell: --shell -- ${quote(program)}`] : [];
}

/**
 * Parses `NAME=value` pairs; the last one of a name wins.
 *
 * @throws TroupeError `invalid-option`
 */
export function parseVariables(assignments: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    assignments.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      const message = `--env is ${quote(text)}; expected NAME=value.`;
      throw new TroupeError({ code: 'invalid-option', message });
    }),
  );
}

export function resolveDirectory(directory: string | undefined, { cwd }: Pick<CliIo, 'cwd'>): string {
  return resolve(cwd, directory ?? '.');
}

/** Returns the options of a start for its host; a directory there is one of its worker. @throws TroupeError `invalid-option` */
export function parsePlace(
  { host, cwd }: { readonly host?: string | undefined; readonly cwd?: string | undefined },
  io: Pick<CliIo, 'cwd' | 'env'>,
): Pick<CommandSpec, 'host' | 'cwd'> {
  if (host === undefined || host === 'local') return { cwd: resolveDirectory(cwd, io) };
  const pool = hostSchema.safeParse(host);
  const problem = pool.success
    ? `no servers are known: set ${SERVERS_VARIABLE} to their addresses, such as nats://127.0.0.1:4222`
    : 'expected "local" or a pool, such as "pool:gpu"';
  if (pool.success && readRemoteVariables(io.env).remote !== undefined)
    return { host: pool.data, ...(cwd !== undefined && { cwd }) };
  throw new TroupeError({ code: 'invalid-option', message: `--host is ${quote(host)}; ${problem}.` });
}

/** @throws TroupeError `invalid-option` for `--replace` without the name that it needs. */
export function checkReplace({
  name,
  replace,
}: {
  readonly name?: string;
  readonly replace?: boolean;
}): void {
  if (replace !== true || name !== undefined) return;
  const message = '--replace needs --name: it ends the process that has the name.';
  throw new TroupeError({ code: 'invalid-option', message });
}
