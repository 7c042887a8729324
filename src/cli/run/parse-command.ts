import { resolve } from 'node:path';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { CliIo } from '../cli-io.ts';

export interface CommandWords {
  readonly words: readonly string[];
  /** The command is one text for the shell. */
  readonly isShell: boolean;
}

/** @throws TroupeError `invalid-option` */
export function parseCommand({ words, isShell }: CommandWords): string | [string, ...string[]] {
  const [program = '', ...args] = words;
  if (isShell && args.length > 0) {
    const message = `with --shell the command is one text, and ${words.length} words were given: put it in quotes.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  if (program.trim() === '') {
    throw new TroupeError({ code: 'invalid-option', message: 'the command is empty; expected a program.' });
  }
  return isShell ? program : [program, ...args];
}

/** What to do when there is no such program. */
export function suggestShell({ words, isShell }: CommandWords): readonly string[] {
  const [program = ''] = words;
  const isText = !isShell && words.length === 1 && /\s/.test(program);
  return isText ? [`To run a text in the shell: --shell -- ${quote(program)}`] : [];
}

/**
 * `NAME=value` each; the last of one name wins.
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
