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
  /** Whether the user whom this program acts for owns it. */
  readonly isOurs: boolean;
  readonly sizeBytes: number;
}

/** The calls to the system that records are kept with. Each throws what the system says. */
export interface RecordFiles {
  /** With those above it, each 0700. One that is there stays as it is. */
  makeDirectory(path: string): void;
  list(directory: string): readonly string[];
  /** Opens a new file for writing, 0600; EEXIST where there is one. */
  create(path: string): number;
  /** Opens for reading; ELOOP for a symbolic link. Waits for nobody who might write. */
  open(path: string): number;
  inspect(file: number): OpenedFile;
  /** How many bytes were taken, from the front. */
  write(file: number, bytes: Uint8Array): number;
  /** How many bytes there were; 0 at the end. */
  read(file: number, into: Uint8Array): number;
  close(file: number): void;
  /** Takes the place of what is there, in one step. */
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** When it was last written to, in milliseconds since the epoch. */
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
