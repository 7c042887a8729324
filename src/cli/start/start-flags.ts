import type { restartPolicies } from '../flag-values.ts';

/** The flags of `troupe start` as they stand on the command line. */
export interface StartFlags {
  readonly shell?: boolean;
  readonly name?: string;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly ready?: readonly string[];
  readonly readyWithin?: string;
  /** `false`: `--no-wait`. */
  readonly wait: boolean;
  readonly restart?: keyof typeof restartPolicies;
  readonly maxTime?: string;
  readonly grace?: string;
  readonly session?: boolean;
  readonly interactive?: boolean;
  readonly size?: string;
  /** No hint how to go on. */
  readonly quiet?: boolean;
  readonly json?: boolean;
  readonly stateDir?: string;
}
