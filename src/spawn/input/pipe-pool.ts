import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readlinkSync, readSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { foreignRuntime } from '../../config/host-runtime.ts';
import { startChild } from '../start-child.ts';

/** Pipe as a shell makes it; the taker owns both ends. */
export interface Pipe {
  /** Blocks its reader, as a program expects of its stdin. */
  readonly readFd: number;
  readonly writeFd: number;
}

/**
 * Pool of anonymous pipes for the input of commands, which Node cannot make. A FIFO would not do: opened by name (`cat
 * /dev/stdin`) after its last writer has gone, it waits for another one for ever. A shell of ours makes some, we open them
 * through `/proc`, and the shell is killed. Each pipe serves once, because unread bytes stay in it while an end is open.
 */
export interface PipePool {
  /** Returns `null` where pipes are unavailable; sockets must then do. */
  take(): Pipe | null;
  /** Does the same, and makes more pipes by a shell that `start` starts without blocking this program. Does not reject. */
  takeWith(start: StartShell): Promise<Pipe | null>;
  /** Closes the pipes that were not taken. */
  close(): void;
}

/** Starts a shell whose stdin stays open, and resolves to its pid. */
type StartShell = (command: readonly [file: string, ...args: readonly string[]]) => Promise<number>;

/** Descriptors with one digit, the only ones dash accepts. */
const numbers = [3, 4, 5, 6, 7, 8, 9];

/**
 * Script that makes the pipes. Short here-documents are pipes in dash, in ash, and in bash from 5.1; empty ones are not.
 * Descriptor 2 becomes a copy of 3 last, as the sign that all are made.
 */
const script = [
  `exec ${numbers.map((number) => `${number}<<E`).join(' ')}`,
  ...numbers.flatMap(() => ['x', 'E']),
  'exec 2<&3',
  // Keeps the shell until we have opened the pipes, and no longer than we live.
  'read line',
].join('\n');

const pollMs = 0.2;
/** Number of looks: a shell is ready within milliseconds, during which this program is blocked. */
const maxPolls = 2_000 / pollMs;

export function createPipePool(platform: NodeJS.Platform = process.platform): PipePool {
  /** Reading ends, which keep their pipes open. */
  const idle: number[] = [];
  let isUsable = platform === 'linux' && foreignRuntime() === null;
  let filling: Promise<boolean> | null = null;

  function take(): Pipe | null {
    if (!isUsable) return null;
    if (idle.length === 0) fill();
    const anchorFd = idle.pop();
    return anchorFd === undefined ? null : open(anchorFd);
  }

  function fill(): void {
    let shell: ChildProcess | null = null;
    try {
      shell = startShell();
      // The shell could not be started; the next call tries again.
      if (shell.pid === undefined) return;
      isUsable = waitForPipes(shell.pid);
      if (isUsable) openAll(shell.pid);
    } catch {
      // Too many open files: those already opened are used.
    } finally {
      if (shell !== null) killShell(shell);
    }
  }

  /** Opens the pipes of a shell. */
  function openAll(pid: number): void {
    for (const number of numbers) idle.push(openEmpty(`/proc/${pid}/fd/${number}`));
  }

  async function takeWith(start: StartShell): Promise<Pipe | null> {
    while (isUsable && idle.length === 0) {
      filling ??= fillWith(start).finally(() => {
        filling = null;
      });
      if (!(await filling)) break;
    }
    return take();
  }

  /** Resolves to `false` if no shell could be started. */
  async function fillWith(start: StartShell): Promise<boolean> {
    try {
      const pid = await start(shellCommand());
      try {
        isUsable = await arePipesReady(pid);
        if (isUsable) openAll(pid);
      } finally {
        // It waits for its input, so its pid is its own.
        process.kill(pid, 'SIGKILL');
      }
      return true;
    } catch {
      return false;
    }
  }

  return {
    take,
    takeWith,
    close: () => {
      isUsable = false;
      for (const anchorFd of idle.splice(0)) closeSync(anchorFd);
    },
  };
}

function shellCommand(): readonly [file: string, ...args: readonly string[]] {
  return [existsSync('/bin/dash') ? '/bin/dash' : '/bin/sh', '-c', script];
}

function startShell(): ChildProcess {
  const [file, ...args] = shellCommand();
  const shell = startChild(file, args, { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => {});
  return shell;
}

/** Waits until the shell has made the pipes; `false` where they are no pipes or cannot be seen. */
function waitForPipes(pid: number): boolean {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let look = 0; look < maxPolls; look += 1) {
    const made = lookForPipes(pid);
    if (made !== null) return made;
    Atomics.wait(cell, 0, 0, pollMs);
  }
  return false;
}

/** Does the same without blocking this program. */
async function arePipesReady(pid: number): Promise<boolean> {
  for (let look = 0; look < maxPolls; look += 1) {
    const made = lookForPipes(pid);
    if (made !== null) return made;
    await setTimeout(1);
  }
  return false;
}

/** Returns whether a shell has made pipes; `null` while it is at it. */
function lookForPipes(pid: number): boolean | null {
  const first = readFdTarget(pid, 3);
  return first !== null && first === readFdTarget(pid, 2) ? first.startsWith('pipe:') : null;
}

function readFdTarget(pid: number, number: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${number}`);
  } catch {
    return null;
  }
}

/** Opens a pipe and reads away the text of its here-document, whose writer has closed. */
function openEmpty(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const text = Buffer.alloc(64);
  try {
    while (readSync(fd, text) > 0);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function killShell(shell: ChildProcess): void {
  shell.kill('SIGKILL');
  shell.stdin?.destroy();
  shell.unref();
}

/** Opens both ends and closes the anchor. With the reading end owned by the child alone, its closing is noticed. */
function open(anchorFd: number): Pipe | null {
  const path = `/proc/self/fd/${anchorFd}`;
  let readFd: number | null = null;
  try {
    readFd = openSync(path, constants.O_RDONLY);
    return { readFd, writeFd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
  } catch {
    // Too many open files: the start itself reports that.
    if (readFd !== null) closeSync(readFd);
    return null;
  } finally {
    closeSync(anchorFd);
  }
}
