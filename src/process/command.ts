/** Command of a process: an argument list, a script for a shell, or a function of this program. */
export type Command =
  | { readonly type: 'argv'; readonly argv: readonly [string, ...string[]] }
  | { readonly type: 'shell'; readonly script: string; readonly shell: string }
  | { readonly type: 'function'; readonly name: string };

/** Returns the command as a line for a POSIX shell; a function as `name()`. */
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

/** Quotes an argument for a POSIX shell where it needs quotes. */
export function quoteForShell(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
