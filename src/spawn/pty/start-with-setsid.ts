import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { TerminalSize } from '../../../machines/process/terminal.ts';
import { findProgram } from '../find-program.ts';
import { hideMaster, runSync, startChild } from '../start-child.ts';
import type { NativePty, PtyCommand } from './native-pty.ts';

const systemPath = '/usr/bin:/bin';
/** Time limit of stty, which sets one flag of a terminal. */
const sttyMs = 2_000;

/**
 * Starts a command in a terminal while others are open. The native part would pass their masters on, because it forks itself; so
 * it only opens the terminal, and setsid(1) makes it the terminal of the command: a child like any other, from which `startChild`
 * hides foreign masters.
 *
 * Ends by a real-time signal, which has no name, are reported as code 0 here: Node does not tell them apart.
 */
export function startWithSetsid(
  { file, args }: PtyCommand,
  {
    native,
    size,
    env,
    cwd,
  }: { native: NativePty; size: TerminalSize; env: Readonly<Record<string, string>>; cwd: string },
): { readonly fd: number; readonly pty: string; readonly child: ChildProcess & { readonly pid: number } } {
  const setsid = findSetsid();
  const { fd, slave, pty } = openTerminal(native, size);
  const showAgain = hideMaster(fd);
  try {
    // With iutf8 Backspace deletes a whole character instead of a byte.
    runSync('stty', ['iutf8'], { stdio: [slave, 'ignore', 'ignore'], timeout: sttyMs });
    const child = startChild(setsid, ['-c', file, ...args], { cwd, env, stdio: [slave, slave, slave] });
    // Its error comes in a later turn. As the program exists, only a lack of processes is possible.
    child.once('error', () => {});
    if (!hasPid(child)) throw Object.assign(new Error('spawn setsid EAGAIN'), { code: 'EAGAIN' });
    return { fd, pty, child };
  } catch (error) {
    closeSync(fd);
    throw error;
  } finally {
    closeSync(slave);
    showAgain();
  }
}

/** Opens a terminal. The caller closes its master `fd` and `slave`, which is opened anew: no other child inherits it, and reads block. */
export function openTerminal(
  native: NativePty,
  size: TerminalSize,
): { readonly fd: number; readonly slave: number; readonly pty: string } {
  const { master: fd, slave: inheritable, pty } = native.open(size);
  try {
    return { fd, slave: openSync(pty, constants.O_RDWR | constants.O_NOCTTY), pty };
  } catch (error) {
    closeSync(fd);
    throw error;
  } finally {
    closeSync(inheritable);
  }
}

/** Finds setsid(1). @throws if it is not installed. */
export function findSetsid(): string {
  const setsid = findProgram('setsid', { path: `${process.env['PATH'] ?? ''}:${systemPath}`, cwd: '/' });
  if (setsid instanceof Error) throw new Error(needsSetsid, { cause: setsid });
  return setsid;
}

function hasPid(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined;
}

const needsSetsid =
  'another terminal is open, and without the program "setsid" this command could read and write it. ' +
  'Install util-linux, or tmux 3.3 or newer';
