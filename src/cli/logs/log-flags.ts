import type { StateFlags } from '../state/state-flags.ts';

/** The flags of `troupe logs` as they stand on the command line. */
export interface LogFlags extends StateFlags {
  readonly follow?: boolean;
  readonly tail?: string;
  readonly stream?: 'stdout' | 'stderr' | 'screen';
  readonly grep?: string;
  readonly ignoreCase?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly timestamps?: boolean;
  readonly raw?: boolean;
}
