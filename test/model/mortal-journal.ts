import { appendFileSync, rmSync } from 'node:fs';
import { createFileJournal } from '../../src/store/file-journal.ts';
import { createMemoryJournal, type Journal } from '../../src/store/journal.ts';

/** Storage of a journal, which outlives the program that writes it. */
export interface Medium {
  open(): Journal;
  /** Remains of an entry after a crash in its middle. */
  tear(entry: unknown, share: number): void;
  remove(): void;
}

export function createMemoryMedium(): Medium {
  const lines: string[] = [];
  return { open: () => createMemoryJournal(lines), tear: () => {}, remove: () => {} };
}

export function createFileMedium(path: string): Medium {
  return {
    open: () => createFileJournal(path),
    tear: (entry, share) => {
      const bytes = Buffer.from(JSON.stringify(entry));
      // Without its last brace: an entry that only lacks its line feed counts.
      appendFileSync(path, bytes.subarray(0, Math.floor(share * (bytes.byteLength - 1))));
    },
    remove: () => rmSync(path, { force: true }),
  };
}

/** Journal of a program that dies while it writes. Once dead, it writes nothing. */
export interface MortalJournal extends Journal {
  readonly isDead: boolean;
  /** Lets the program die instead of writing the entry after the next `entries`. */
  dieAfter(entries: number, share: number): void;
}

export function createMortalJournal(
  medium: Medium,
  { onWritten }: { onWritten: (entry: unknown) => void },
): MortalJournal {
  const journal = medium.open();
  let isDead = false;
  let left = Number.POSITIVE_INFINITY;
  let share = 0;
  const die = () => {
    isDead = true;
    journal.close();
  };
  return {
    get isDead() {
      return isDead;
    },
    dieAfter: (entries, torn) => {
      left = entries;
      share = torn;
    },
    read: () => journal.read(),
    append: (entry) => {
      if (isDead) return;
      if (left === 0) {
        die();
        return medium.tear(entry, share);
      }
      left -= 1;
      journal.append(entry);
      onWritten(entry);
    },
    close: die,
  };
}
