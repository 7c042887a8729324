import { basename, dirname, join } from 'node:path';
import { isRunning } from './program-identity.ts';
import type { RecordFiles } from './record-files.ts';

interface Draft {
  readonly path: string;
  readonly file: number;
}

/**
 * Puts a file with these bytes in the place of the one that is there, in one step. Its directory is made where it is missing.
 *
 * @throws what the system says; then the one before is there, and nothing beside it.
 */
export function replaceFile({
  path,
  bytes,
  files,
}: {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly files: RecordFiles;
}): void {
  const draft = createDraft(path, files);
  try {
    writeAndClose(draft.file, { bytes, files });
    files.rename(draft.path, path);
  } catch (error) {
    quietly(() => files.remove(draft.path));
    throw error;
  }
}

function createDraft(path: string, files: RecordFiles): Draft {
  try {
    return createFreeDraft(path, files);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  files.makeDirectory(dirname(path));
  return createFreeDraft(path, files);
}

/** A name is taken where a program with our pid died, or lives in another pid namespace. */
function createFreeDraft(path: string, files: RecordFiles): Draft {
  for (let count = 0; ; count += 1) {
    const draft = join(dirname(path), toTemporaryName(path, { pid: process.pid, count }));
    try {
      return { path: draft, file: files.create(draft) };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

function writeAndClose(
  file: number,
  { bytes, files }: { readonly bytes: Uint8Array; readonly files: RecordFiles },
): void {
  try {
    // A full disk takes a part of a write without a word.
    for (let written = 0; written < bytes.byteLength; ) {
      const count = files.write(file, bytes.subarray(written));
      if (count === 0) throw new Error(`only ${written} of ${bytes.byteLength} bytes could be written`);
      written += count;
    }
  } catch (error) {
    quietly(() => files.close(file));
    throw error;
  }
  // Where the disk is far away this is the call that tells it is full.
  files.close(file);
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

/** What went wrong first is what is told. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // See above.
  }
}

/** Whose draft a file is: the pid that is in its name. */
const draftName = /^\.[\w-]{1,64}\.(?:json|log\.times)\.(\d{1,10})\.\d+\.tmp$/;

/** `.<id>.json.<pid>.<count>.tmp`: a record that is being written; an index of times likewise. */
function toTemporaryName(path: string, { pid, count }: { pid: number; count: number }): string {
  return `.${basename(path)}.${pid}.${count}.tmp`;
}

/** `null` for what is no draft. */
function toWriterPid(name: string): number | null {
  const pid = draftName.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** A save takes less than a millisecond. A writer in another pid namespace looks dead from here, so the time has to tell. */
const maxAgeMs = 3_600_000;

/** Takes away what writers left that died in the middle of a save. What cannot be removed stays. */
export function removeStaleTemporaryFiles({
  directory,
  names,
  files,
  nowAt,
}: {
  readonly directory: string;
  readonly names: readonly string[];
  readonly files: RecordFiles;
  /** Milliseconds since the epoch. */
  readonly nowAt: number;
}): void {
  for (const name of names) {
    const pid = toWriterPid(name);
    if (pid === null) continue;
    const path = join(directory, name);
    try {
      if (nowAt - files.writtenAt(path) > maxAgeMs && !isRunning({ pid, startedAt: null }))
        files.remove(path);
    } catch {
      // Somebody was quicker, or it is not ours.
    }
  }
}
