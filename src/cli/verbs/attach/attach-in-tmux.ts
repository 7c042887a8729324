import { isatty } from 'node:tty';
import { startChild } from '../../../spawn/start-child.ts';
import type { CliIo } from '../../cli-io.ts';
import { type EndSignal, onEndSignal } from '../../end-signals.ts';
import type { AttachCall, AttachEnd } from './attach-here.ts';

/** Attaches the person in tmux, which owns the terminal until it exits. */
export async function attachInTmux(
  [program = 'tmux', ...args]: readonly string[],
  { io, isReadOnly, onSignal }: AttachCall,
): Promise<AttachEnd> {
  // Inside another tmux session, tmux refuses to attach, even to another server.
  const { TMUX: _, ...env } = io.env;
  const child = startChild(program, isReadOnly ? [...args, '-r'] : args, { stdio: 'inherit', env });
  let received: EndSignal | null = null;
  const removeSignals = onEndSignal((signal) => {
    received = signal;
    onSignal?.(signal);
    child.kill('SIGTERM');
  });
  try {
    const failure = await new Promise<string | null>((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('close', (code) => resolve(code === 0 ? null : `it ended with code ${code}`));
    });
    if (received !== null) return { type: 'signalled', signal: received };
    if (isClosed(io)) {
      onSignal?.('SIGHUP');
      return { type: 'signalled', signal: 'SIGHUP' };
    }
    const why = failure === null ? null : `tmux did not show it: ${failure}.`;
    if (!(await hasSession([program, ...args], env))) return { type: 'closed', why };
    return why === null ? { type: 'left' } : { type: 'refused', why };
  } finally {
    removeSignals();
  }
}

/** Tells whether the session still exists: tmux exits alike after detaching and after the session was closed. */
async function hasSession(
  [program = 'tmux', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  const asking = args.map((arg) => (arg === 'attach-session' ? 'has-session' : arg));
  const child = startChild(program, asking, { stdio: 'ignore', env });
  return new Promise((resolve) => {
    child.once('error', () => resolve(true));
    child.once('close', (code) => resolve(code === 0));
  });
}

/** Tells whether our terminal was closed: tmux may notice before this program does. */
function isClosed({ stdout }: Pick<CliIo, 'stdout'>): boolean {
  return !isatty((stdout as { readonly fd?: number }).fd ?? 1);
}
