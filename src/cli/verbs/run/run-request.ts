import type { CommandSpec } from '../../../config/process-spec.ts';
import type { ResourceLimits } from '../../../config/resource-limits.ts';
import { describeEnd } from '../../../process/describe-end.ts';
import type { FinalView } from '../../../process/process-view.ts';
import { describeSuspects } from '../../../spawn/tree/suspects.ts';
import { type CliIo, printError, printNote } from '../../cli-io.ts';
import { toProcessName } from '../../render/process-text.ts';
import { type CommandWords, suggestShell } from './parse-command.ts';

/** Request of `troupe run`, parsed and checked. A limit of 0 means none. */
export interface RunRequest extends CommandWords {
  readonly command: CommandSpec['command'];
  /** Host and working directory. */
  readonly place: Pick<CommandSpec, 'host' | 'cwd'>;
  readonly env: Readonly<Record<string, string>>;
  readonly label: string | null;
  /** Ends the live process that has the label; otherwise the start is refused. */
  readonly replaces: boolean;
  readonly timeoutMs: number;
  readonly onTimeout: 'background' | 'kill' | 'wait';
  readonly maxTimeMs: number;
  /** `null`: the default. */
  readonly graceMs: number | null;
  /** `undefined`: none. */
  readonly limits: ResourceLimits | undefined;
  readonly hasInput: boolean;
  /** Shows the command in this terminal and lets it read from there, as without troupe. */
  readonly isAtTerminal: boolean;
  /** Moves the command to the background after `timeoutMs`. */
  readonly promotes: boolean;
  /** Runs the command in the background from the start. */
  readonly background: boolean;
  /** Gives the command a terminal. */
  readonly isInteractive: boolean;
  readonly json: boolean;
  /** Absolute. */
  readonly stateDirectory: string;
  readonly io: CliIo;
}

/** Reasons that the exit code alone does not tell. */
const saidTypes: ReadonlySet<string> = new Set(['timed_out', 'lost', 'outOfMemory', 'fileTooLarge']);

/** Reports what the exit code cannot express: a failed start, a time limit, a lost process, and processes that may still run. */
export function reportEnd(
  end: FinalView,
  { words, isShell, io }: Pick<RunRequest, 'words' | 'isShell' | 'io'>,
): void {
  const { reason, exit, suspects } = end;
  if (reason.type === 'spawnFailed') {
    printError(io, reason.message, ...suggestShell({ words, isShell }));
  } else if (saidTypes.has(reason.type)) {
    printError(io, `${toProcessName(end)} ${describeEnd(reason, exit)}.`);
  }
  if (suspects.length > 0) printNote(io, describeSuspects(suspects));
}
