import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foreignRuntime } from '../../config/host-runtime.ts';
import { runSync } from '../start-child.ts';

/** Pipe of the operating system; the taker owns both ends. */
interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
  /** Returns the FIFO for reuse. Must be called once the reading end has seen the end of file, so that no writer is left. */
  release(): void;
}

/**
 * Pool of real pipes for output, which Node cannot make: its pipes are pairs of sockets, and a command cannot open `/dev/stderr`
 * on a socket. These are FIFOs without a name: made by `mkfifo` in a private directory, opened, removed at once, and reused.
 */
export interface FifoPool {
  /** Returns `null` where FIFOs are unavailable; sockets must then do. */
  take(): Fifo | null;
  /** Closes the FIFOs that are not in use, and the others when they are released. */
  close(): void;
}

/** Number of FIFOs made at once: one costs as much as many, mostly for the start of `mkfifo`. */
const batchSize = 16;

/** Time limit of `mkfifo`, which takes a few milliseconds and blocks this program. */
const makingMs = 2_000;

export function createFifoPool(platform: NodeJS.Platform = process.platform): FifoPool {
  const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
  /** Reading ends, which keep the FIFOs open without hiding the end of file as a writing end would. */
  const idle: number[] = [];
  // Reopening through /proc makes a second end; elsewhere /dev/fd only duplicates the descriptor.
  let isUsable = platform === 'linux' && foreignRuntime() === null;
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
      // Too many open files: the start itself reports that.
      if (readFd !== null) closeSync(readFd);
      giveBack(anchorFd);
      return null;
    }
  }

  /** Removes the directory without opening anything, because too many files may be open. */
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
    // The file was never made.
  }
}
