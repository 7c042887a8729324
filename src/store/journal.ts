/**
 * Stores entries in the order they were written, each a JSON value on its own line. After a crash an entry is
 * there completely or not at all.
 */
export interface Journal {
  /** Returns the earlier entries; called once, before the first `append`. Unreadable entries are left out. */
  read(): readonly unknown[];
  /**
   * Writes an entry synchronously.
   *
   * @throws if the entry could not be written; then no part of it is there.
   */
  append(entry: unknown): void;
  close(): void;
}

/** Creates a journal in memory, for tests. Another conversation can read its entries. */
export function createMemoryJournal(lines: string[] = []): Journal & { readonly lines: readonly string[] } {
  return {
    lines,
    read: () => lines.map((line) => JSON.parse(line)),
    append: (entry) => void lines.push(JSON.stringify(entry)),
    close: () => {},
  };
}
