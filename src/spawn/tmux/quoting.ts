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
 * Returns shell words that make a tmux client execute the next word only if the server has the pid `pid`, a shell expression. One client checks
 * and executes, because each client is a program to start.
 */
export function toServerCheck(pid: string): string {
  return `if-shell -F "#{==:#{pid},${pid}}"`;
}

/** Shell word for the other case: a tmux command that fails, so that the client fails, too. */
export const refusal = "'has-session -t =troupe-none'";
