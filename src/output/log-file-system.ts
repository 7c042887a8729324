import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
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

/** The open file of a log, identified by its inode, since other programs may remove or replace it. */
export class IdentifiedFile {
  readonly #path: string;
  readonly #files: LogFileSystem;
  #handle: LogFileHandle | null = null;
  #identity = { ino: 0, dev: 0 };
  #hasOpened = false;

  constructor(path: string, files: LogFileSystem) {
    this.#path = path;
    this.#files = files;
  }

  /** `null` while the file is not open. */
  get handle(): LogFileHandle | null {
    return this.#handle;
  }

  /** Opens the file and returns its size. The directory is made only the first time: one removed later stays away. */
  async open(): Promise<{ readonly handle: LogFileHandle; readonly size: number }> {
    if (!this.#hasOpened) await this.#files.mkdir(dirname(this.#path));
    const handle = await this.#files.open(this.#path, 'readAndAppend');
    const { ino, dev, size } = await handle.stat();
    this.#hasOpened = true;
    this.#identity = { ino, dev };
    this.#handle = handle;
    return { handle, size };
  }

  /** Resolves with true once the path leads to another file or none. */
  async isRemoved(): Promise<boolean> {
    const current = await this.#files.stat(this.#path).catch(() => null);
    return current === null || !this.#isSame(current);
  }

  /** Passes the handle to the caller, who closes it. */
  detach(): LogFileHandle | null {
    const handle = this.#handle;
    this.#handle = null;
    return handle;
  }

  /** Reads a range; `null` if the path leads to another file, or cannot be read. */
  async read(position: number, length: number): Promise<Uint8Array | null> {
    let file: LogFileHandle | null = null;
    try {
      file = await this.#files.open(this.#path, 'read');
      if (!this.#isSame(await file.stat())) return null;
      const buffer = new Uint8Array(length);
      const { bytesRead } = await file.read(buffer, 0, length, position);
      return buffer.subarray(0, bytesRead);
    } catch {
      return null;
    } finally {
      await file?.close().catch(() => {});
    }
  }

  #isSame({ ino, dev }: { readonly ino: number; readonly dev: number }): boolean {
    return ino === this.#identity.ino && dev === this.#identity.dev;
  }
}
