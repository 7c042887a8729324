import type { TerminalSize } from '../../../machines/process/terminal.ts';
import { toErrorText } from '../../config/error-text.ts';
import { foreignRuntime } from '../../config/host-runtime.ts';
import { findInstalled, loadInstalled } from '../../config/installed-package.ts';
import type { Unavailable } from '../terminal/terminal-deps.ts';

/** Program and its arguments. */
export interface PtyCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Native part of `@lydell/node-pty`, whose version is pinned. Its public part would not do: it destroys the terminal 200 ms after
 * the exit, with all unread output, reports the exit only then, and adds variables to the environment.
 */
export interface NativePty {
  /** Forks in a new session with its own terminal. A failure in the child, after the fork, becomes output and code 1. */
  start(
    command: PtyCommand & {
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
      readonly columns: number;
      readonly rows: number;
      /** Called once the exit was collected: the pid may be reused from then on. */
      readonly onExit: (code: number, signal: number) => void;
    },
  ): Started;
  /** Opens a terminal without a process; the caller owns both ends, and children inherit both. */
  open(size: TerminalSize): OpenTerminal;
  resize(fd: number, columns: number, rows: number): void;
}

interface OpenTerminal {
  readonly master: number;
  readonly slave: number;
  /** Path of the slave. */
  readonly pty: string;
}

interface Started {
  readonly pid: number;
  /**
   * Our end of the terminal, its master. The native part does not set FD_CLOEXEC, and Node cannot: without `hideMaster` every
   * child would inherit it.
   */
  readonly fd: number;
  /** Path of the child's end, the slave. */
  readonly pty: string;
}

interface Binding {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    columns: number,
    rows: number,
    uid: number,
    gid: number,
    isUtf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): Started;
  open(columns: number, rows: number): OpenTerminal;
  resize(fd: number, columns: number, rows: number): void;
}

const sameUser = -1;

/** Loads the package on first use, because most programs never have a terminal. */
export function loadNativePty(): NativePty | Unavailable {
  if (process.platform === 'win32') return notForWindows;
  const runtime = foreignRuntime();
  if (runtime !== null)
    return {
      why: `${runtime} cannot read the terminals of "@lydell/node-pty"`,
      remedy: 'Install tmux, or start with node',
    };
  try {
    const { requireBinary } = loadInstalled('@lydell/node-pty/requireBinary.js') as {
      requireBinary(name: string): Binding;
    };
    const binding = requireBinary('pty.node');
    const helperPath = findHelper();
    return {
      start: ({ file, args, env, cwd, columns, rows, onExit }) => {
        const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
        const [uid, gid] = [sameUser, sameUser];
        return binding.fork(file, args, variables, cwd, columns, rows, uid, gid, true, helperPath, onExit);
      },
      open: ({ columns, rows }) => binding.open(columns, rows),
      resize: (fd, columns, rows) => binding.resize(fd, columns, rows),
    };
  } catch (error) {
    const [reason] = toErrorText(error).split('\n');
    return {
      why: `the package "@lydell/node-pty", which creates terminals, cannot be loaded (${reason})`,
      remedy: 'Install troupe with its optional packages',
    };
  }
}

const notForWindows: Unavailable = {
  why: 'terminals without tmux are not built for Windows',
  remedy: 'Use Linux or macOS',
};

/** Finds the program through which macOS starts others. */
function findHelper(): string {
  if (process.platform !== 'darwin') return '';
  return findInstalled(`@lydell/node-pty-darwin-${process.arch}/spawn-helper`);
}
