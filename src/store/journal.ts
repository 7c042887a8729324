/**
 * Entries in the order in which they were written, each a JSON value on a line of its own. An entry is there whole or not
 * at all, wherever a crash falls.
 */
export interface Journal {
  /** What was written before; read once, before the first `append`. Entries that cannot be read are left out. */
  read(): readonly unknown[];
  /** Written when it returns. @throws when the entry could not be written; then nothing of it is there. */
  append(entry: unknown): void;
  close(): void;
}

/** A journal that ends with the program, for tests. What is appended can be read again by another conversation. */
export function createMemoryJournal(lines: string[] = []): Journal & { readonly lines: readonly string[] } {
  return {
    lines,
    read: () => lines.map((line) => JSON.parse(line)),
    append: (entry) => void lines.push(JSON.stringify(entry)),
    close: () => {},
  };
}
