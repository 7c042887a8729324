import type { Journal } from './journal.ts';

/** A journal that ends with the program, for tests. What is appended can be read again by another conversation. */
export function createMemoryJournal(lines: string[] = []): Journal & { readonly lines: readonly string[] } {
  return {
    lines,
    read: () => lines.map((line) => JSON.parse(line)),
    append: (entry) => void lines.push(JSON.stringify(entry)),
    close: () => {},
  };
}
