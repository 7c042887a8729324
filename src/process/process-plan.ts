import type { RunSettings } from '../../machines/process/context.ts';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import type { InputSource, ReadinessSettings } from '../config/process-spec.ts';
import type { Backend, SpawnRequest, Work } from '../spawn/backend.ts';
import type { Hints } from '../spawn/environment.ts';
import type { ProcessDescription, TerminalView } from './process-view.ts';

/** Decisions about a process from before it is created. `owner` is the first owner; the process can be transferred. */
export interface ProcessPlan extends ProcessDescription {
  /** Equal for processes that run the same command in the same directory with the same secrets, without revealing them. */
  readonly fingerprint: string;
  readonly run: RunSettings;
  readonly ready: ReadinessSettings | null;
  readonly output: {
    readonly maxBufferBytes: number;
    readonly headBytes: number;
    readonly maxReplyBytes: number;
    readonly logFile: {
      readonly path: string;
      /** File that records what was removed from the log. */
      readonly statusPath: string;
      readonly maxBytes: number;
    } | null;
    readonly secrets: readonly string[];
    /** True if the process writes its log file itself, without our help. */
    readonly direct: boolean;
  };
  readonly backend: Backend;
  /** Outcome of the request for a terminal; `null` where none was requested. */
  readonly terminal: TerminalView | null;
  /** File of the last screen; `null` without a terminal or a state directory. */
  readonly screenPath: string | null;
  /** The option `input`; `null` where there is none, and under a later supervisor. */
  readonly input: InputSource | null;
  readonly launch: Launch;
  /** Files that the process writes itself; `null` where all output passes through this program. */
  readonly files: SpawnRequest['files'];
  /** Directory of the command, with its secrets; `cwd` is for people. */
  readonly directory: string;
  /** True if the process outlives this program. */
  readonly outlives: boolean;
}

/** The part of a start that is the same for every attempt and every supervisor. */
export interface Launch {
  readonly work: Work;
  readonly stdin: 'end' | 'pipe';
  /** First size of the terminal; `null` where there is none. */
  readonly size: TerminalSize | null;
  readonly hints: Hints;
  /** Additions to the environment of the supervisor; `null` removes a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Names of variables under an earlier supervisor whose values are gone: no further attempt can have the intended environment. */
  readonly lostNames: readonly string[];
  /** Values by the names of their variables. */
  readonly secrets: Readonly<Record<string, string>>;
}

const SHOWN = 5;

/** Says why an adopted process cannot be restarted, and what to do. */
export function describeLostEnvironment(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return (
    `It cannot be restarted: the values of its environment variables (${names.slice(0, SHOWN).join(', ')}${more}) are lost. ` +
    'They were stored outside the project, in a temporary file that was removed. Start the command again as a new process.'
  );
}
