import { dirname } from 'node:path';
import type { LogFileHandle, LogFileSystem } from './log-file-system.ts';

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

  /** Gives the handle to the caller to close. */
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
