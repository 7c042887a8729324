import type { Command } from 'commander';
import type { CliIo } from './cli-io.ts';

/** What a verb is given to define itself. */
export interface VerbSetup {
  readonly program: Command;
  readonly io: CliIo;
  /** What was given as `--section.key=value`; only verbs that run an agent take it. */
  readonly overrides: readonly string[];
  /** The verb's work has ended so. */
  readonly end: (exitCode: number) => void;
}

/** Adds one verb to the program. Its work is loaded when it is called, never before. */
export type DefineVerb = (setup: VerbSetup) => void;
