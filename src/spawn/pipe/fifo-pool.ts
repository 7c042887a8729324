import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSync } from '../start-child.ts';

/** A pipe of the operating system; both ends belong to who took it. */
export interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
  /** To be called once the reading end has seen the end of file: nobody writes any more, and it can serve again. */
  release(): void;
}

/**
 * Real pipes, which Node cannot make. What it calls a pipe is a pair of sockets, and a command cannot open `/dev/stderr`
 * on a socket. These are FIFOs without a name: made by `mkfifo` in a private directory, opened, removed at once, and
 * used again and again.
 */
export interface FifoPool {
  /** `null` where there are none to be had: then sockets must do. */
  take(): Fifo | null;
  /** Lets go of those that are not in use, and of the others when they are given back. */
  close(): void;
}

/** Making one costs as much as making many: most of it is the start of `mkfifo`. */
const batchSize = 16;

/** `mkfifo` takes a few milliseconds; meanwhile this program does nothing else. */
const makingMs = 2_000;

export function createFifoPool(platform: NodeJS.Platform = process.platform): FifoPool {
  const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
  /** Reading ends: they keep the FIFO in being, and do not hide the end of file as a writing end would. */
  const idle: number[] = [];
  // Reopening through /proc makes a second end; elsewhere /dev/fd only doubles the descriptor.
  let isUsable = platform === 'linux';
  let isClosed = false;

  function take(): Fifo | null {
    if (!isUsable || isClosed) return null;
    if (idle.length === 0) fill();
    const anchorFd = idle.pop();
    return anchorFd === undefined ? null : open(anchorFd);
  }

  function fill(): void {
    let directory: string | null = null;
    let paths: readonly string[] = [];
    try {
      directory = mkdtempSync(join(tmpdir(), 'troupe-fifo-'));
      paths = Array.from({ length: batchSize }, (_, number) => join(`${directory}`, String(number)));
      runSync('mkfifo', ['-m', '600', ...paths], {
        stdio: 'ignore',
        timeout: makingMs,
        killSignal: 'SIGKILL',
      });
      for (const path of paths) idle.push(openSync(path, O_RDONLY | O_NONBLOCK));
    } catch {
      isUsable = idle.length > 0;
    } finally {
      if (directory !== null) removeFilled(directory, paths);
    }
  }

  function open(anchorFd: number): Fifo | null {
    const path = `/proc/self/fd/${anchorFd}`;
    let readFd: number | null = null;
    try {
      readFd = openSync(path, O_RDONLY | O_NONBLOCK);
      return { readFd, writeFd: openSync(path, O_WRONLY), release: () => giveBack(anchorFd) };
    } catch {
      // Too many open files: the start itself will say so.
      if (readFd !== null) closeSync(readFd);
      giveBack(anchorFd);
      return null;
    }
  }

  /** Opens nothing: there may be too many open files. */
  function removeFilled(directory: string, paths: readonly string[]): void {
    for (const path of paths) quietly(() => unlinkSync(path));
    quietly(() => rmdirSync(directory));
  }

  function giveBack(anchorFd: number): void {
    if (isClosed) closeSync(anchorFd);
    else idle.push(anchorFd);
  }

  return {
    take,
    close: () => {
      isClosed = true;
      for (const anchorFd of idle.splice(0)) closeSync(anchorFd);
    },
  };
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // It was not made.
  }
}
