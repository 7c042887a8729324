/** One command of tmux with its arguments. */
export type TmuxCommand = readonly string[];

/**
 * Commands as tmux reads them from a file: the second is carried out only where the first succeeded. A file, since tmux takes no more than 16 KB of
 * arguments, and since everybody can read those in the process table.
 */
export function toTmuxText(commands: readonly TmuxCommand[]): string {
  return `${commands.map((command) => command.map(toTmuxWord).join(' ')).join(' ; ')}\n`;
}

/** Whatever the text is: one argument, as it stands. In single quotes tmux drops the blanks after a newline. */
export function toTmuxWord(text: string): string {
  return `'${text.replaceAll(/['\n]/g, (found) => (found === "'" ? `'"'"'` : `'"\\n"'`))}'`;
}

/** The text, where tmux would expand formats in it. */
export function toPlainFormat(text: string): string {
  return text.replaceAll('#', '##');
}

/**
 * A path as a word for a POSIX shell that has none of the characters in it that mean something to tmux, which expands formats and
 * dates in a command before a shell sees it: what is unusual is printed by number. A path that ends in a newline loses that.
 */
export function toShellWord(path: string): string {
  if (/^[\w./-]+$/.test(path)) return path;
  const encoded = path.replaceAll(/[^A-Za-z0-9_./]+/g, (unusual) =>
    [...Buffer.from(unusual)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
  return `"$(printf '${encoded}')"`;
}
