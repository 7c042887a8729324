import type { CommandSpec } from '../../config/process-spec.ts';
import type { CliIo } from '../cli-io.ts';
import type { CommandWords } from './read-command.ts';

/** What `troupe run` is to do, read and checked. Limits: 0 is none. */
export interface RunOrder extends CommandWords {
  readonly command: CommandSpec['command'];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly label: string | null;
  readonly timeoutMs: number;
  readonly onTimeout: 'background' | 'kill' | 'wait';
  readonly maxTimeMs: number;
  /** `null`: the default. */
  readonly graceMs: number | null;
  readonly hasInput: boolean;
  /** It is shown in our terminal and reads from it, as without us. */
  readonly isAtTerminal: boolean;
  /** It is to go to the background when `timeoutMs` is over. */
  readonly promotes: boolean;
  /** It is to be there from the start. */
  readonly background: boolean;
  /** It is to have a terminal. */
  readonly isInteractive: boolean;
  readonly json: boolean;
  /** Absolute. */
  readonly stateDirectory: string;
  readonly io: CliIo;
}
