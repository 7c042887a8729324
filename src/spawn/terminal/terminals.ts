import type { Backend } from '../backend.ts';
import { createPtyBackend } from '../pty/pty-backend.ts';
import { createTmuxBackend } from '../tmux/tmux-backend.ts';
import type { TerminalDeps, Unavailable } from './terminal-deps.ts';

/** Backends that give processes a terminal on this machine. Each is looked for once, on first use. */
export interface Terminals {
  tmux(): Backend | Unavailable;
  pty(): Backend | Unavailable;
  /** Closes the backends. */
  close(): Promise<void>;
}

/** Creates the backends. `wrap` wraps those whose output passes this program, which is not so with tmux. */
export function createTerminals({
  wrap,
  ...deps
}: TerminalDeps & { readonly wrap: (backend: Backend) => Backend }): Terminals {
  let tmux: Backend | Unavailable | null = null;
  let pty: Backend | Unavailable | null = null;
  return {
    tmux: () => {
      tmux ??= createTmuxBackend(deps);
      return tmux;
    },
    pty: () => {
      pty ??= wrapFound(createPtyBackend(deps), wrap);
      return pty;
    },
    close: async () => {
      for (const backend of [tmux, pty]) if (backend !== null && 'close' in backend) await backend.close?.();
    },
  };
}

function wrapFound(found: Backend | Unavailable, wrap: (backend: Backend) => Backend): Backend | Unavailable {
  return 'why' in found ? found : wrap(found);
}

/** Returns the terminals of a supervisor with its own backend: that backend, if it has terminals. */
export function ownTerminals(backend: Backend): Terminals {
  const remedy = 'Leave the supervisor\'s option "backend" out';
  const found = backend.capabilities.terminal ? backend : { why: 'its own backend has no terminals', remedy };
  return {
    tmux: () => (backend.capabilities.durable ? found : { why: 'it has a backend of its own', remedy }),
    pty: () => found,
    close: async () => {},
  };
}
