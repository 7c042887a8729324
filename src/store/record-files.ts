import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { withReserve } from '../spawn/descriptors.ts';
import { makeDirectory } from './make-directory.ts';

interface OpenedFile {
  readonly kind: 'file' | 'directory' | 'other';
  /** True if the effective user of this program owns it. */
  readonly isOurs: boolean;
  readonly sizeBytes: number;
}

/** The system calls that records need. Each throws the system's error. */
export interface RecordFiles {
  /** Creates a directory and its missing parents, each 0700. An existing one stays unchanged. */
  makeDirectory(path: string): void;
  list(directory: string): readonly string[];
  /** Creates a file for writing, 0600; EEXIST if it exists. */
  create(path: string): number;
  /** Opens for reading without waiting for a writer; ELOOP for a symbolic link. */
  open(path: string): number;
  inspect(file: number): OpenedFile;
  /** Returns how many leading bytes were written. */
  write(file: number, bytes: Uint8Array): number;
  /** Returns how many bytes were read; 0 at the end. */
  read(file: number, into: Uint8Array): number;
  close(file: number): void;
  /** Replaces the target atomically. */
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Returns the time of the last write in milliseconds since the epoch. */
  writtenAt(path: string): number;
}

const { O_CREAT, O_EXCL, O_WRONLY, O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export const systemFiles: RecordFiles = {
  makeDirectory,
  list: (directory) => withReserve(() => readdirSync(directory)),
  create: (path) => withReserve(() => openSync(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)),
  open: (path) => withReserve(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)),
  inspect: (file) => {
    const stats = fstatSync(file);
    return {
      kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other',
      isOurs: stats.uid === process.geteuid?.(),
      sizeBytes: stats.size,
    };
  },
  write: (file, bytes) => writeSync(file, bytes),
  read: (file, into) => readSync(file, into),
  close: closeSync,
  rename: renameSync,
  remove: unlinkSync,
  writtenAt: (path) => lstatSync(path).mtimeMs,
};
