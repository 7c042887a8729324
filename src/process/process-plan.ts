import type { Limits, OnTimeout, RestartSettings } from '../../machines/process/context.ts';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import type { ReadinessSettings } from '../config/process-spec.ts';
import type { Backend, SpawnRequest, Work } from '../spawn/backend.ts';
import type { Hints } from '../spawn/environment.ts';
import type { Command } from './command.ts';
import type { ProcessKind, ProcessLifetime, TerminalView } from './process-view.ts';

/** All that is decided of a process before it is created. */
export interface ProcessPlan {
  readonly id: string;
  readonly kind: ProcessKind;
  readonly command: Command;
  readonly commandLine: string;
  readonly cwd: string;
  /** The same for what would run the same command in the same directory, secrets and all; tells nothing of them. */
  readonly fingerprint: string;
  readonly label: string | null;
  /** At first; it can be given away. */
  readonly owner: string;
  readonly lifetime: ProcessLifetime;
  readonly tool: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Why it runs in the foreground or in the background. */
  readonly executionMode: string;
  readonly background: boolean;
  readonly onTimeout: OnTimeout;
  readonly limits: Limits;
  readonly leftoverPolicy: 'keep' | 'kill';
  readonly restart: RestartSettings;
  readonly ready: ReadinessSettings | null;
  readonly output: {
    readonly maxBufferBytes: number;
    readonly headBytes: number;
    readonly maxReplyBytes: number;
    readonly logFile: {
      readonly path: string;
      /** Where it is written down what was taken out of the log. */
      readonly statusPath: string;
      readonly maxBytes: number;
    } | null;
    readonly secrets: readonly string[];
    /** It writes its log file itself, without our help. */
    readonly direct: boolean;
  };
  readonly backend: Backend;
  /** What became of the wish for a terminal; `null` where there was none. */
  readonly terminal: TerminalView | null;
  /** Where its last screen is kept; `null` where it has none, or nothing is written down. */
  readonly screenPath: string | null;
  readonly launch: Launch;
  /** Where it writes by itself; `null` where all of it goes through this program. */
  readonly files: SpawnRequest['files'];
  /** Made anew for each attempt: an environment is large, and most processes start once. */
  toRequest(attempt: number): SpawnRequest;
}

/** What is started, as far as it is the same for every attempt and every supervisor. */
export interface Launch {
  readonly work: Work;
  readonly stdin: 'end' | 'pipe';
  /** Of its terminal, at first; `null` where it has none. */
  readonly size: TerminalSize | null;
  readonly hints: Hints;
  /** Beside the environment of the supervisor; `null` takes a variable out. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Names that `env` had under an earlier supervisor, and whose values are gone: no further attempt can be started as it was meant. */
  readonly lostNames: readonly string[];
  /** By the names of their variables. */
  readonly secrets: Readonly<Record<string, string>>;
}

const SHOWN = 5;

/** Why a process that was taken over cannot be started again, and what to do. */
export function describeLostEnvironment(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return (
    `It cannot be started again as it was: the values of its environment (${names.slice(0, SHOWN).join(', ')}${more}) are gone. ` +
    'They are kept outside the project, and temporary files were removed since. Start it anew.'
  );
}
