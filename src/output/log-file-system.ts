import { mkdir, stat } from 'node:fs/promises';
import { openPrivateHandle, type PrivateAccess } from '../store/private-files.ts';

/** What the log file needs of a disk. Everything may reject, and the log goes on. */
export interface LogFileSystem {
  mkdir(path: string, options: { recursive: true; mode: number }): Promise<unknown>;
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

export const nodeLogFileSystem: LogFileSystem = { mkdir, open: openPrivateHandle, stat };
