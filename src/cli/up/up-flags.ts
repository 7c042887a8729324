/** The flags of `troupe up` as they stand on the command line. */
export interface UpFlags {
  readonly detach?: boolean;
  readonly stateDir?: string;
}
