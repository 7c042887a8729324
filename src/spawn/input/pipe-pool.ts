import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readlinkSync, readSync } from 'node:fs';
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
  /** Closes the pipes that were not taken. */
  close(): void;
}

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
      if (isUsable) for (const number of numbers) idle.push(openEmpty(`/proc/${shell.pid}/fd/${number}`));
    } catch {
      // Too many open files: those already opened are used.
    } finally {
      if (shell !== null) killShell(shell);
    }
  }

  return {
    take,
    close: () => {
      isUsable = false;
      for (const anchorFd of idle.splice(0)) closeSync(anchorFd);
    },
  };
}

function startShell(): ChildProcess {
  const file = existsSync('/bin/dash') ? '/bin/dash' : '/bin/sh';
  const shell = startChild(file, ['-c', script], { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => {});
  return shell;
}

/** Waits until the shell has made the pipes; `false` where they are no pipes or cannot be seen. */
function waitForPipes(pid: number): boolean {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let look = 0; look < maxPolls; look += 1) {
    const first = readFdTarget(pid, 3);
    if (first !== null && first === readFdTarget(pid, 2)) return first.startsWith('pipe:');
    Atomics.wait(cell, 0, 0, pollMs);
  }
  return false;
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
