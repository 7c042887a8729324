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
  const setsid = findProgram('setsid', { path: `${process.env['PATH'] ?? ''}:${systemPath}`, cwd: '/' });
  if (setsid instanceof Error) throw new Error(needsSetsid, { cause: setsid });
  const { master: fd, slave, pty } = native.open(size);
  const showAgain = hideMaster(fd);
  let own: number | null = null;
  try {
    // Opened anew, so that other children do not inherit it and reads block.
    own = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
    // With iutf8 Backspace deletes a whole character instead of a byte.
    runSync('stty', ['iutf8'], { stdio: [own, 'ignore', 'ignore'], timeout: sttyMs });
    const child = startChild(setsid, ['-c', file, ...args], { cwd, env, stdio: [own, own, own] });
    // Its error comes in a later turn. As the program exists, only a lack of processes is possible.
    child.once('error', () => {});
    if (!hasPid(child)) throw Object.assign(new Error('spawn setsid EAGAIN'), { code: 'EAGAIN' });
    return { fd, pty, child };
  } catch (error) {
    closeSync(fd);
    throw error;
  } finally {
    closeSync(slave);
    if (own !== null) closeSync(own);
    showAgain();
  }
}

function hasPid(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined;
}

const needsSetsid =
  'another terminal is open, and without the program "setsid" this command could read and write it. ' +
  'Install util-linux, or tmux 3.3 or newer';
