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
