import { createPage } from './render/page.ts';
import { toPrintable } from './render/printable.ts';

/** What a command line program has of the world around it. */
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

/** Says on stderr what went wrong, and in the lines after it what to do. */
export function printError({ stderr }: Pick<CliIo, 'stderr'>, ...[what, ...next]: readonly string[]): void {
  stderr.write(`${createPage(stderr).paint('red', 'troupe:')} ${toPrintable(what ?? '')}\n`);
  for (const line of next) stderr.write(`  ${toPrintable(line)}\n`);
}

/** Says on stderr what a person should know, and what is no error. */
export function printNote({ stderr }: Pick<CliIo, 'stderr'>, text: string): void {
  stderr.write(`${createPage(stderr).paint('dim', `troupe: ${toPrintable(text)}`)}\n`);
}

/** How this program is called by whoever reads its texts: under npx it is not on the PATH. */
export function toProgramName(env: Readonly<Record<string, string | undefined>>): string {
  const isNpx = env['npm_command'] === 'exec' || env['npm_lifecycle_event'] === 'npx';
  return isNpx ? 'npx troupe' : 'troupe';
}
