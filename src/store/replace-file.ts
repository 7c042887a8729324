import { basename, dirname, join } from 'node:path';
import { isRunning } from './program-identity.ts';
import type { RecordFiles } from './record-files.ts';

interface Draft {
  readonly path: string;
  readonly file: number;
}

/**
 * Replaces a file atomically; creates a missing directory.
 *
 * @throws the system's error; then the previous file is there, and no temporary one.
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

/** Tries the next name while one is taken: by a dead program with our pid, or one in another pid namespace. */
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
    // A full disk accepts a part of a write without an error.
    for (let written = 0; written < bytes.byteLength; ) {
      const count = files.write(file, bytes.subarray(written));
      if (count === 0) throw new Error(`only ${written} of ${bytes.byteLength} bytes could be written`);
      written += count;
    }
  } catch (error) {
    quietly(() => files.close(file));
    throw error;
  }
  // On a remote disk, closing reports that it is full.
  files.close(file);
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

/** Ignores further errors; the first one is reported. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // See above.
  }
}

/** Names of temporary files, with the pid of the writer. */
const draftName = /^\.[\w-]{1,64}\.(?:json|log\.times)\.(\d{1,10})\.\d+\.tmp$/;

/** Returns `.<id>.json.<pid>.<count>.tmp`, the name while a record or time index is being written. */
function toTemporaryName(path: string, { pid, count }: { pid: number; count: number }): string {
  return `.${basename(path)}.${pid}.${count}.tmp`;
}

/** Returns `null` for any other file. */
function toWriterPid(name: string): number | null {
  const pid = draftName.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/**
 * Saving takes less than a millisecond. Writers in another pid namespace look dead from here, so the age has
 * to tell.
 */
const maxAgeMs = 3_600_000;

/** Removes temporary files of writers that died while saving. Files that cannot be removed stay. */
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
      // Another program was faster, or the file is not ours.
    }
  }
}
