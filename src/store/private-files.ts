import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { withReserve } from '../spawn/descriptors.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

const flagsOf = {
  /** A FIFO in its place does not block the reader. */
  read: O_RDONLY | O_NONBLOCK,
  append: O_WRONLY | O_APPEND | O_CREAT,
  readAndAppend: O_RDWR | O_APPEND | O_CREAT,
  /** Changes an existing file in place. */
  change: O_RDWR,
  /** Empties an existing file. */
  replace: O_WRONLY | O_CREAT,
  /** Fails with EEXIST if the file exists. */
  create: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
} as const;

export type PrivateAccess = keyof typeof flagsOf;

/**
 * Opens a file of a state directory, created for its owner only (0600). A cloned repository or another user
 * may have put something else in its place: links are not followed, and files of other users are not opened.
 *
 * @throws TroupeError `state-directory` for a link, for anything that is no file, and for a file of another
 * user; otherwise the system's error.
 */
export function openPrivateFile(path: string, access: PrivateAccess): number {
  refuseBeforeOpening(path, access);
  const file = explainLink(path, () =>
    withReserve(() => openSync(path, flagsOf[access] | O_NOFOLLOW, 0o600)),
  );
  try {
    checkFile(path, fstatSync(file));
    if (access === 'replace') ftruncateSync(file);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Opens a file like `openPrivateFile`; rejects where that throws. */
export async function openPrivateHandle(path: string, access: PrivateAccess): Promise<FileHandle> {
  refuseBeforeOpening(path, access);
  const file = await open(path, flagsOf[access] | O_NOFOLLOW, 0o600).catch((error: unknown) =>
    explainLink(path, () => {
      throw error;
    }),
  );
  try {
    checkFile(path, await file.stat());
    if (access === 'replace') await file.truncate();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads a file; throws like `openPrivateFile`. */
export function readPrivateFile(path: string): string {
  return withFile(path, 'read', (file) => readFileSync(file, 'utf8'));
}

/** Appends to a file; throws like `openPrivateFile`. */
export function appendPrivateFile(path: string, text: string): void {
  withFile(path, 'append', (file) => writeFileSync(file, text));
}

/** Replaces a file; throws like `openPrivateFile`. */
export function replacePrivateFile(path: string, text: string): void {
  withFile(path, 'replace', (file) => writeFileSync(file, text));
}

/**
 * Checks a directory of a state directory; a missing one passes.
 *
 * @throws TroupeError `state-directory` for a link and a directory of another user.
 */
export function checkPrivateDirectory(path: string): void {
  const stats = lookAt(path);
  if (stats === null) return;
  if (stats.isSymbolicLink()) throw isLink(path);
  // The system reports anything else when a directory is to be created there.
  if (!stats.isDirectory()) return;
  if (!isOurs(stats)) throw isForeign(path, stats);
}

/**
 * Checks the place of a socket; a missing one passes.
 *
 * @throws TroupeError `state-directory` for anything that is not a socket, and for a socket of another user.
 */
export function checkPrivateSocket(path: string): void {
  const stats = lookAt(path);
  if (stats === null) return;
  if (stats.isSymbolicLink()) throw isLink(path);
  if (!stats.isSocket()) throw refuse(`${quote(path)} is not a socket. Remove it.`);
  if (!isOurs(stats)) throw isForeign(path, stats);
}

/**
 * Returns `null` if there is nothing, or the system refuses to look; it reports that again when something is
 * created there.
 */
function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function withFile<T>(path: string, access: PrivateAccess, use: (file: number) => T): T {
  const file = openPrivateFile(path, access);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Refuses FIFOs, where opening for writing waits for a reader. `O_NONBLOCK` does not help, because a
 * descriptor that a command inherits must block.
 */
function refuseBeforeOpening(path: string, access: PrivateAccess): void {
  if (access === 'read') return;
  const stats = lookAt(path);
  if (stats !== null) checkFile(path, stats);
}

function checkFile(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw isLink(path);
  // The system reports directories by itself.
  if (!stats.isFile() && !stats.isDirectory())
    throw refuse(`${quote(path)} is not a regular file. Remove it.`);
  if (!isOurs(stats)) throw isForeign(path, stats);
}

function explainLink<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? isLink(path, error) : error;
  }
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.geteuid?.();
}

function isLink(path: string, cause?: unknown): TroupeError {
  return refuse(
    `${quote(path)} is a symbolic link, and links in a state directory are not followed. Remove it, or name another state directory.`,
    cause,
  );
}

function isForeign(path: string, { uid }: Stats): TroupeError {
  return refuse(
    `${quote(path)} belongs to user ${uid}, not to you (user ${process.geteuid?.()}). Name a state directory of your own.`,
  );
}

function refuse(message: string, cause?: unknown): TroupeError {
  return new TroupeError({ code: 'state-directory', message, cause });
}
