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
  /** A pipe that stands there does not block the reader. */
  read: O_RDONLY | O_NONBLOCK,
  append: O_WRONLY | O_APPEND | O_CREAT,
  readAndAppend: O_RDWR | O_APPEND | O_CREAT,
  /** What is there is changed in place. */
  change: O_RDWR,
  /** What is there is emptied. */
  replace: O_WRONLY | O_CREAT,
  /** EEXIST where there is one. */
  create: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
} as const;

export type PrivateAccess = keyof typeof flagsOf;

/**
 * Opens a file of a state directory, for its owner alone (0600) where it is made. A cloned repository or another user may have put
 * something else in its place: no link is followed, and a file of another user is not opened.
 *
 * @throws TroupeError `state-directory` for a link, for what is no file, and for a file of another user; otherwise the system's error.
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

/** Like `openPrivateFile`; rejects where that throws. */
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

/** Throws like `openPrivateFile`. */
export function readPrivateFile(path: string): string {
  return withFile(path, 'read', (file) => readFileSync(file, 'utf8'));
}

/** Throws like `openPrivateFile`. */
export function appendPrivateFile(path: string, text: string): void {
  withFile(path, 'append', (file) => writeFileSync(file, text));
}

/** Throws like `openPrivateFile`. */
export function replacePrivateFile(path: string, text: string): void {
  withFile(path, 'replace', (file) => writeFileSync(file, text));
}

/**
 * Checks a directory that a state directory consists of; one that is missing is fine.
 *
 * @throws TroupeError `state-directory` for a link and a directory of another user.
 */
export function checkPrivateDirectory(path: string): void {
  const stats = lookAt(path);
  if (stats === null) return;
  if (stats.isSymbolicLink()) throw isLink(path);
  // What is no directory is told by the system where one is to be made.
  if (!stats.isDirectory()) return;
  if (!isOurs(stats)) throw isForeign(path, stats);
}

/**
 * Checks a place where a socket is, or will be; one that is missing is fine.
 *
 * @throws TroupeError `state-directory` for what is no socket, and for a socket of another user.
 */
export function checkPrivateSocket(path: string): void {
  const stats = lookAt(path);
  if (stats === null) return;
  if (stats.isSymbolicLink()) throw isLink(path);
  if (!stats.isSocket()) throw refuse(`${quote(path)} is no socket. Remove it.`);
  if (!isOurs(stats)) throw isForeign(path, stats);
}

/** `null` where there is nothing, or the system refuses to look: it says so again where something is to be made there. */
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

/** To open a pipe for writing waits for a reader. A descriptor that a command inherits must block, so `O_NONBLOCK` is no help. */
function refuseBeforeOpening(path: string, access: PrivateAccess): void {
  if (access === 'read') return;
  const stats = lookAt(path);
  if (stats !== null) checkFile(path, stats);
}

function checkFile(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw isLink(path);
  // Of a directory the system says by itself what is wrong.
  if (!stats.isFile() && !stats.isDirectory()) throw refuse(`${quote(path)} is no regular file. Remove it.`);
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
    `${quote(path)} belongs to user ${uid}, and not to you (user ${process.geteuid?.()}). Name a state directory of your own.`,
  );
}

function refuse(message: string, cause?: unknown): TroupeError {
  return new TroupeError({ code: 'state-directory', message, cause });
}
