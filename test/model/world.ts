import type { ExitStatus, TreeMember } from '../../machines/process/context.ts';
import type { ProcessState } from './process-model.ts';

/**
 * Actions on a process, the same for scripts and real programs, with the same result. What an action names has happened, or is
 * bound to, when its promise resolves.
 */
export interface World {
  /** Leader is up with a child beside it. */
  comeUp(): Promise<void> | void;
  /** Adopted where another supervisor has left it. */
  beAdopted(): Promise<void> | void;
  failToStart(): void;
  exit(status: ExitStatus): Promise<void> | void;
  endOutput(): Promise<void> | void;
  /** No output for the quiet time. */
  beQuiet(): void;
  endChild(): Promise<void> | void;
  /** A member is alive that was told to end. */
  resist(alive: readonly TreeMember[]): void;
  /** Rest of the tree ends. */
  vanish(): Promise<void> | void;
  /** Throws when the operating system contradicts the model. */
  check(state: ProcessState): Promise<void> | void;
  dispose(): Promise<void> | void;
}
