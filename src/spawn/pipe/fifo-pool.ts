import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foreignRuntime } from '../../config/host-runtime.ts';
import { runSync } from '../start-child.ts';

/** Pipe of the operating system; the taker owns both ends. */
export interface Fifo {
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
  /** Does the same, and makes more FIFOs by `run`, which does not block this program. Does not reject. */
  takeWith(run: RunMkfifo): Promise<Fifo | null>;
  /** Closes the FIFOs that are not in use, and the others when they are released. */
  close(): void;
}

/** Runs `mkfifo` with these arguments to its end. */
type RunMkfifo = (args: readonly string[]) => Promise<unknown>;

/** Number of FIFOs made at once: one costs as much as many, mostly for the start of `mkfifo`. */
const batchSize = 16;

/** Time limit of `mkfifo`, which takes a few milliseconds and blocks this program. */
const makingMs = 2_000;

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

export function createFifoPool(platform: NodeJS.Platform = process.platform): FifoPool {
  /** Reading ends, which keep the FIFOs open without hiding the end of file as a writing end would. */
  const idle: number[] = [];
  // Reopening through /proc makes a second end; elsewhere /dev/fd only duplicates the descriptor.
  let isUsable = platform === 'linux' && foreignRuntime() === null;
  let isClosed = false;
  let filling: Promise<boolean> | null = null;

  function take(): Fifo | null {
    if (!isUsable || isClosed) return null;
    if (idle.length === 0) fill();
    const anchorFd = idle.pop();
    return anchorFd === undefined ? null : open(anchorFd);
  }

  function fill(): void {
    const batch = beginBatch();
    if (batch === null) return;
    try {
      runSync('mkfifo', batch.args, { stdio: 'ignore', timeout: makingMs, killSignal: 'SIGKILL' });
    } catch {
      // Nothing was made.
    }
    openBatch(batch);
  }

  async function takeWith(run: RunMkfifo): Promise<Fifo | null> {
    while (isUsable && !isClosed && idle.length === 0) {
      filling ??= fillWith(run).finally(() => {
        filling = null;
      });
      if (!(await filling)) break;
    }
    return take();
  }

  /** Resolves to `false` if `mkfifo` could not be run that way. */
  async function fillWith(run: RunMkfifo): Promise<boolean> {
    const batch = beginBatch();
    if (batch === null) return false;
    try {
      await run(batch.args);
    } catch {
      removeBatch(batch);
      return false;
    }
    openBatch(batch);
    return true;
  }

  /** Gives up where no directory can be made. */
  function beginBatch(): Batch | null {
    const batch = createBatch();
    if (batch === null) isUsable = idle.length > 0;
    return batch;
  }

  /** Opens what was made, and removes its names. */
  function openBatch(batch: Batch): void {
    try {
      for (const path of batch.paths) giveBack(openSync(path, O_RDONLY | O_NONBLOCK));
    } catch {
      isUsable = idle.length > 0;
    }
    removeBatch(batch);
  }

  function open(anchorFd: number): Fifo | null {
    const ends = openEnds(anchorFd);
    if (ends !== null) return { ...ends, release: () => giveBack(anchorFd) };
    giveBack(anchorFd);
    return null;
  }

  function giveBack(anchorFd: number): void {
    if (isClosed) closeSync(anchorFd);
    else idle.push(anchorFd);
  }

  return {
    take,
    takeWith,
    close: () => {
      isClosed = true;
      for (const anchorFd of idle.splice(0)) closeSync(anchorFd);
    },
  };
}

/** FIFOs to be made in a directory of their own. */
interface Batch {
  readonly directory: string;
  readonly paths: readonly string[];
  /** Arguments of `mkfifo`. */
  readonly args: readonly string[];
}

function createBatch(): Batch | null {
  try {
    const directory = mkdtempSync(join(tmpdir(), 'troupe-fifo-'));
    const paths = Array.from({ length: batchSize }, (_, number) => join(directory, String(number)));
    return { directory, paths, args: ['-m', '600', ...paths] };
  } catch {
    return null;
  }
}

/** Removes the directory without opening anything, because too many files may be open. */
function removeBatch({ directory, paths }: Batch): void {
  for (const path of paths) quietly(() => unlinkSync(path));
  quietly(() => rmdirSync(directory));
}

/** Opens both ends anew; `null` with too many open files, which the start itself reports. */
function openEnds(anchorFd: number): Omit<Fifo, 'release'> | null {
  const path = `/proc/self/fd/${anchorFd}`;
  let readFd: number | null = null;
  try {
    readFd = openSync(path, O_RDONLY | O_NONBLOCK);
    return { readFd, writeFd: openSync(path, O_WRONLY) };
  } catch {
    if (readFd !== null) closeSync(readFd);
    return null;
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The file was never made.
  }
}
