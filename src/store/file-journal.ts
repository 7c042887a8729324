import { closeSync, fstatSync, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Cancel } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { lockFile } from './file-lock.ts';
import type { Journal } from './journal.ts';
import { makeDirectory } from './make-directory.ts';
import { openPrivateFile, readPrivateFile } from './private-files.ts';

const NEWLINE = 10;

/**
 * Creates a journal in a file of JSON lines, 0600 in a directory made 0700, with a lock beside it while it is
 * open. Nothing is opened before the first use. A last line cut off by a crash is removed; a line that is not
 * JSON is skipped.
 *
 * An entry survives a crash of the program once `append` returns; a crash of the machine may cost the newest
 * ones.
 *
 * `read` and `append` throw the system's errors, and TroupeError `conversation-in-use`, or `invalid-option`
 * for a file that is no journal.
 */
export function createFileJournal(path: string): Journal {
  let file: number | null = null;
  let lines: readonly string[] = [];
  let unlock: Cancel = () => {};

  const open = (): number => {
    if (file !== null) return file;
    makeDirectory(dirname(path));
    const release = lockFile(path);
    try {
      const opened = openPrivateFile(path, 'readAndAppend');
      lines = takeWholeLines(opened, path);
      file = opened;
    } catch (error) {
      release();
      throw error;
    }
    unlock = release;
    return file;
  };

  return {
    read: () => {
      open();
      return lines.flatMap(parseLine);
    },
    append: (entry) => {
      const opened = open();
      lines = [];
      appendWhole(opened, `${JSON.stringify(entry)}\n`);
    },
    close: () => {
      if (file === null) return;
      closeSync(file);
      file = null;
      unlock();
    },
  };
}

/**
 * Returns the entries of a journal that another program may have open, without locking or changing it; a line that is being written is left
 * out. Throws the system's errors, and TroupeError `state-directory` for a link or a file of another user.
 */
export function readJournal(path: string): readonly unknown[] {
  return readPrivateFile(path).split('\n').slice(0, -1).flatMap(parseLine);
}

function appendWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  const before = fstatSync(file).size;
  try {
    // A full disk accepts a part of a write without an error.
    for (let written = 0; written < bytes.byteLength; ) written += writeSync(file, bytes, written);
  } catch (error) {
    ftruncateSync(file, before);
    throw error;
  }
}

/**
 * Reads the lines of a file. The text after the last line feed is an entry without its line feed, or one cut
 * off by a crash.
 */
function takeWholeLines(file: number, path: string): readonly string[] {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const lines = bytes
    .subarray(0, end)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  const rest = bytes.subarray(end).toString();
  if (bytes.byteLength > 0 && !/^\s*\{/.test(lines[0] ?? rest)) throw noJournal(path);
  if (rest === '') return lines;
  if (parseLine(rest).length > 0) {
    appendWhole(file, '\n');
    return [...lines, rest];
  }
  ftruncateSync(file, end);
  return lines;
}

function noJournal(path: string): TroupeError {
  const message = `${path} is not a journal: it does not begin with a JSON object. It was not changed; name another file.`;
  return new TroupeError({ code: 'invalid-option', message });
}

function parseLine(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
