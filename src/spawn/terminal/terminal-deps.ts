import type { TerminalSize } from '../../../machines/process/terminal.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';

/** Dependencies that the terminals of one supervisor share. */
export interface TerminalDeps extends TreeDeps {
  /**
   * Returns the socket of the state directory's tmux server and makes its directory; `null` without a state directory. Throws with a
   * message for the user.
   */
  readonly tmuxSocket: (() => string) | null;
}

/** Reason why a backend is unavailable on this machine. */
export interface Unavailable {
  /** The end of a sentence: "tmux is not installed". */
  readonly why: string;
  /** Advice to the user, in the imperative without a full stop. */
  readonly remedy: string;
}

/** Size of a terminal for which no size was asked. */
export const defaultSize: TerminalSize = { columns: 80, rows: 24 };
