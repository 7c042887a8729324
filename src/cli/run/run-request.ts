import type { CommandSpec } from '../../config/process-spec.ts';
import { describeEnd } from '../../process/describe-end.ts';
import type { FinalView } from '../../process/process-view.ts';
import { describeSuspects } from '../../spawn/tree/suspects.ts';
import { type CliIo, printError, printNote } from '../cli-io.ts';
import { toProcessName } from '../render/process-text.ts';
import { type CommandWords, suggestShell } from './parse-command.ts';

/** The flags of `troupe run` as they stand on the command line. */
export interface RunFlags {
  readonly shell?: boolean;
  readonly stdin?: boolean;
  readonly name?: string;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly timeout?: string;
  readonly onTimeout?: 'background' | 'kill' | 'wait';
  readonly maxTime?: string;
  readonly grace?: string;
  readonly background?: boolean;
  readonly interactive?: boolean;
  readonly json?: boolean;
  readonly stateDir?: string;
}

/** What `troupe run` is to do, read and checked. Limits: 0 is none. */
export interface RunRequest extends CommandWords {
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

/**
 * What the exit code cannot say: a failed start, a time limit, and what may still run. The ends that a command chose itself, and those that a
 * person ordered, need no words.
 */
export function reportEnd(
  end: FinalView,
  { words, isShell, io }: Pick<RunRequest, 'words' | 'isShell' | 'io'>,
): void {
  const { reason, exit, suspects } = end;
  if (reason.type === 'spawnFailed') {
    printError(io, reason.message, ...suggestShell({ words, isShell }));
  } else if (reason.type === 'timedOut' || reason.type === 'lost') {
    printError(io, `${toProcessName(end)} ${describeEnd(reason, exit)}.`);
  }
  if (suspects.length > 0) printNote(io, describeSuspects(suspects));
}
