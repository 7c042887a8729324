/** What is run, and whether a shell sees it. */
export type Command =
  | { readonly type: 'argv'; readonly argv: readonly [string, ...string[]] }
  | { readonly type: 'shell'; readonly script: string; readonly shell: string }
  | { readonly type: 'function'; readonly name: string };

/** One line for people: what they would type. */
export function toCommandLine(command: Command): string {
  switch (command.type) {
    case 'argv':
      return command.argv.map(quoteForShell).join(' ');
    case 'shell':
      return command.script;
    case 'function':
      return `${command.name}()`;
  }
}

const PLAIN = /^[\w@%+=:,./-]+$/;

/** An argument as one would type it into a POSIX shell. */
export function quoteForShell(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
