import { stat } from 'node:fs/promises';
import { makeDirectory } from '../store/make-directory.ts';
import { openPrivateHandle, type PrivateAccess } from '../store/private-files.ts';

/** File operations of the log file. Any may reject; the log continues. */
export interface LogFileSystem {
  /** Creates the directory and missing parents, each 0700. */
  mkdir(path: string): Promise<void>;
  open(path: string, access: PrivateAccess): Promise<LogFileHandle>;
  stat(path: string): Promise<{ ino: number; dev: number }>;
}

export interface LogFileHandle {
  writev(buffers: readonly Uint8Array[]): Promise<{ bytesWritten: number }>;
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesWritten: number }>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  stat(): Promise<{ ino: number; dev: number; size: number; nlink: number }>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export const nodeLogFileSystem: LogFileSystem = {
  // Node's recursive `mkdir` never returns below /proc and keeps the program alive.
  mkdir: async (path) => makeDirectory(path),
  open: openPrivateHandle,
  stat,
};
