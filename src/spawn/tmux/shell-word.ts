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
