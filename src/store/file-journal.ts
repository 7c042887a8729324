import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Journal } from './journal.ts';

const NEWLINE = 10;

/**
 * A journal in a file of JSON lines, 0600 in a directory that is made 0700. Nothing is opened before the first use. A line
 * that a crash cut off is removed; a line that is no JSON is left alone and skipped.
 *
 * An entry survives a crash of the program as soon as `append` returns; a crash of the machine may cost the newest ones.
 */
export function createFileJournal(path: string): Journal {
  let file: number | null = null;
  let lines: readonly string[] = [];

  const open = (): number => {
    if (file !== null) return file;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const opened = openSync(path, 'a+', 0o600);
    lines = takeWholeLines(opened);
    file = opened;
    return opened;
  };

  return {
    read: () => {
      open();
      return lines.flatMap(parseLine);
    },
    append: (entry) => {
      const opened = open();
      lines = [];
      const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
      const before = fstatSync(opened).size;
      try {
        // A full disk takes a part of a write without a word.
        for (let written = 0; written < bytes.byteLength; ) written += writeSync(opened, bytes, written);
      } catch (error) {
        ftruncateSync(opened, before);
        throw error;
      }
    },
    close: () => {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

/** The lines of a file, which loses what stands behind its last line feed: an entry is there whole or not at all. */
function takeWholeLines(file: number): readonly string[] {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (end < bytes.byteLength) ftruncateSync(file, end);
  return bytes
    .subarray(0, end)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

function parseLine(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
