import type { ExitStatus, TreeMember } from '../../machines/process/context.ts';
import type { ProcessState } from './process-model.ts';

/**
 * What can befall a process, brought about. Where the same is done to a script and to a real program, the same must
 * come of it. Everything that is named here has happened, or is bound to, when the promise resolves.
 */
export interface World {
  /** The leader is up, and a child beside it. */
  comeUp(): Promise<void> | void;
  /** It is found where another supervisor had left it. */
  beAdopted(): Promise<void> | void;
  failToStart(): void;
  exit(status: ExitStatus): Promise<void> | void;
  endOutput(): Promise<void> | void;
  /** No output for as long as counts as quiet. */
  beQuiet(): void;
  endChild(): Promise<void> | void;
  /** Something is alive that was told to end. */
  resist(alive: readonly TreeMember[]): void;
  /** What is left of the tree ends. */
  vanish(): Promise<void> | void;
  /** Throws when the operating system does not bear out what the model says. */
  check(state: ProcessState): Promise<void> | void;
  dispose(): Promise<void> | void;
}
