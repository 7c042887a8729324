import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readlinkSync, readSync } from 'node:fs';
import { startChild } from '../start-child.ts';

/** A pipe as a shell makes it; both ends belong to who took it. */
export interface Pipe {
  /** Blocks whoever reads, as a program expects of its stdin. */
  readonly readFd: number;
  readonly writeFd: number;
}

/**
 * Pipes without a name, which Node cannot make, for the input of commands. A FIFO would not do: opened by name
 * (`cat /dev/stdin`) after its last writer has gone, it waits for another one for ever. Our own shell makes some, we open
 * them through `/proc`, and it is sent away. Each serves once: what was not read stays in it as long as anybody holds an end.
 */
export interface PipePool {
  /** `null` where there are none to be had: then sockets must do. */
  take(): Pipe | null;
  /** Lets go of those that were not taken. */
  close(): void;
}

/** Descriptors with one digit: dash knows no others. */
const numbers = [3, 4, 5, 6, 7, 8, 9];

/** Short here-documents are pipes in dash, in ash, and in bash from 5.1; empty ones are not. Only then 2 is what 3 is. */
const script = [
  `exec ${numbers.map((number) => `${number}<<E`).join(' ')}`,
  ...numbers.flatMap(() => ['x', 'E']),
  'exec 2<&3',
  // Until we have them, and no longer than we live.
  'read line',
].join('\n');

const pollMs = 0.2;
/** A shell is ready within a few milliseconds; meanwhile this program does nothing else. */
const maxPolls = 2_000 / pollMs;

export function createPipePool(platform: NodeJS.Platform = process.platform): PipePool {
  /** Reading ends, which keep their pipe in being. */
  const idle: number[] = [];
  let isUsable = platform === 'linux';

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
      // Could not be started: perhaps it can the next time.
      if (shell.pid === undefined) return;
      isUsable = waitForPipes(shell.pid);
      if (isUsable) for (const number of numbers) idle.push(openEmpty(`/proc/${shell.pid}/fd/${number}`));
    } catch {
      // Too many open files: those that were opened will do.
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

/** Waits until the shell has opened them; `false` where they are no pipes, or cannot be seen. */
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

/** The text of the here-document is read away: its writer has closed, so that it ends. */
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

/** Once the reading end is the child's alone, nobody else hides that it was closed. */
function open(anchorFd: number): Pipe | null {
  const path = `/proc/self/fd/${anchorFd}`;
  let readFd: number | null = null;
  try {
    readFd = openSync(path, constants.O_RDONLY);
    return { readFd, writeFd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
  } catch {
    // Too many open files: the start itself will say so.
    if (readFd !== null) closeSync(readFd);
    return null;
  } finally {
    closeSync(anchorFd);
  }
}
