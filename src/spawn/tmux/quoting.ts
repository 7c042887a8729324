/** Command of tmux with its arguments. */
export type TmuxCommand = readonly string[];

/**
 * Formats commands as a file for tmux, each executed only if the one before succeeded. A file, because tmux takes no more than 16
 * KB of arguments, and because everyone can read those in the process table.
 */
export function toTmuxText(commands: readonly TmuxCommand[]): string {
  return `${commands.map((command) => command.map(toTmuxWord).join(' ')).join(' ; ')}\n`;
}

/** Quotes any text as one literal argument. In single quotes tmux drops the blanks after a newline. */
function toTmuxWord(text: string): string {
  return `'${text.replaceAll(/['\n]/g, (found) => (found === "'" ? `'"'"'` : `'"\\n"'`))}'`;
}

/** Escapes a text where tmux would expand formats. */
export function toPlainFormat(text: string): string {
  return text.replaceAll('#', '##');
}

/**
 * Words of a shell for a client of tmux that executes the next word, commands for tmux, only if the server's pid is `pid`, a word of that shell.
 * One client instead of two: each costs as much as a program.
 */
export function toServerCheck(pid: string): string {
  return `if-shell -F "#{==:#{pid},${pid}}"`;
}

/** Command for the other case, a word of a shell: it fails, and so does the client. */
export const refusal = "'has-session -t =troupe-none'";
