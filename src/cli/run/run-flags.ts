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
