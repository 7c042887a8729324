import { isatty } from 'node:tty';
import { startChild } from '../../../spawn/start-child.ts';
import type { CliIo } from '../../cli-io.ts';
import { type EndSignal, onEndSignal } from '../../end-signals.ts';
import type { AttachCall, AttachEnd } from './attach-here.ts';

/** Sits a person down in tmux: it has the terminal until it gives it back. */
export async function attachInTmux(
  [program = 'tmux', ...args]: readonly string[],
  { io, isReadOnly, onSignal }: AttachCall,
): Promise<AttachEnd> {
  // Within a session of somebody's own tmux refuses to begin another one, although that one is elsewhere.
  const { TMUX: _, ...env } = io.env;
  const child = startChild(program, isReadOnly ? [...args, '-r'] : args, { stdio: 'inherit', env });
  let told: EndSignal | null = null;
  const removeSignals = onEndSignal((signal) => {
    told = signal;
    onSignal?.(signal);
    child.kill('SIGTERM');
  });
  try {
    const failure = await new Promise<string | null>((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('close', (code) => resolve(code === 0 ? null : `it ended with code ${code}`));
    });
    if (told !== null) return { type: 'signalled', signal: told };
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

/** tmux says the same to whoever has left as to whom the session was closed. */
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

/** tmux may be told sooner than we that somebody has closed the terminal. */
function isClosed({ stdout }: Pick<CliIo, 'stdout'>): boolean {
  return !isatty((stdout as { readonly fd?: number }).fd ?? 1);
}
