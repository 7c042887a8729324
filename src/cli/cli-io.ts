import { createPage } from './render/page.ts';
import { toPrintable } from './render/printable.ts';

/** The streams, environment and directory of a command line program. */
export interface CliIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
}

export function printLines({ stdout }: Pick<CliIo, 'stdout'>, ...lines: readonly string[]): void {
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
}

/** Prints an error to stderr, followed by lines of advice. */
export function printError({ stderr }: Pick<CliIo, 'stderr'>, ...[what, ...next]: readonly string[]): void {
  stderr.write(`${createPage(stderr).paint('red', 'troupe:')} ${toPrintable(what ?? '')}\n`);
  for (const line of next) stderr.write(`  ${toPrintable(line)}\n`);
}

/** Prints a note to stderr that is not an error. */
export function printNote({ stderr }: Pick<CliIo, 'stderr'>, text: string): void {
  stderr.write(`${createPage(stderr).paint('dim', `troupe: ${toPrintable(text)}`)}\n`);
}

/** Returns the command that starts this program: under npx it is not on the PATH. */
export function toProgramName(env: Readonly<Record<string, string | undefined>>): string {
  const isNpx = env['npm_command'] === 'exec' || env['npm_lifecycle_event'] === 'npx';
  return isNpx ? 'npx troupe' : 'troupe';
}

/** Returns whether a person can read stdout and type on stdin. */
export function isTerminal({ stdin, stdout }: Pick<CliIo, 'stdin' | 'stdout'>): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
