/** The flags of `troupe serve` as they stand on the command line. */
export interface ServeFlags {
  readonly idle?: string;
  readonly forever?: boolean;
  readonly stateDir?: string;
}
