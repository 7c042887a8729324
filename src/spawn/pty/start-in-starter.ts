import { closeSync } from 'node:fs';
import type { ExitStatus } from '../../../machines/process/context.ts';
import type { TerminalSize } from '../../../machines/process/terminal.ts';
import type { BackendPort } from '../backend.ts';
import { hideMaster } from '../start-child.ts';
import { followChild, startOnce } from '../starter/start-once.ts';
import type { Starter } from '../starter/starter.ts';
import type { StarterStdio } from '../starter/starter-process.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import type { NativePty, PtyCommand } from './native-pty.ts';
import { findForkError, type PtyChild, toPtyChild } from './pty-child.ts';
import { findSetsid, openTerminal } from './start-with-setsid.ts';

/**
 * Starts a command in a terminal from the starter: this program only opens the terminal, and setsid(1) makes it the terminal of the
 * command. Returns the error of a start that failed, `StarterEnded` where the starter ended and has not started it.
 *
 * Ends by a real-time signal are reported as code 0, see `startWithSetsid`.
 */
export async function startInStarter(
  { file, args }: PtyCommand,
  {
    port: { request, clock },
    deps: { table, reportError },
    env,
    native,
    size,
    starter,
  }: {
    readonly port: Pick<BackendPort, 'request' | 'clock'>;
    readonly deps: Pick<TreeDeps, 'table' | 'reportError'>;
    readonly env: Readonly<Record<string, string>>;
    readonly native: NativePty;
    readonly size: TerminalSize;
    readonly starter: Starter;
  },
): Promise<PtyChild | Error> {
  try {
    const setsid = findSetsid();
    const { fd, slave, pty } = openTerminal(native, size);
    const showAgain = hideMaster(fd);
    try {
      const end = { fd: slave, access: 'terminal' } as const;
      await setUtf8(starter, end);
      const { id, cwd } = request;
      const order = { cwd, env, stdio: [end, end, end], isDetached: false };
      const start = () => starter.start({ ...order, command: [setsid, '-c', file, ...args] });
      const child = await startOnce(id, { table, start });
      if (child instanceof Error) {
        closeSync(fd);
        return child;
      }
      const exit = Promise.withResolvers<ExitStatus | null>();
      followChild(child, { table, clock, reportError, onExit: exit.resolve });
      return toPtyChild(native, { ...child, fd, pty, exited: exit.promise });
    } finally {
      closeSync(slave);
      showAgain();
    }
  } catch (error) {
    return findForkError(error);
  }
}

/** Makes Backspace delete a whole character instead of a byte. */
async function setUtf8(starter: Starter, slave: StarterStdio): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  const stdio = [slave, 'ignore', 'ignore'] as const;
  try {
    const { exited } = await starter.start({ command: ['stty', 'iutf8'], cwd: '/', env, stdio });
    await exited;
  } catch {
    // stty is missing, or the starter has ended, which the next order reports.
  }
}
