/** The flags of `troupe mcp` as they stand on the command line. */
export interface McpFlags {
  /** `true`: at the usual address. */
  readonly http?: string | true;
  readonly allowRemote?: boolean;
  /** Names of sets, with commas between them. */
  readonly tools: string;
  /** `name=env:VARIABLE` or `name=file:PATH` each. */
  readonly secret?: readonly string[];
  readonly cwd?: string;
  readonly stateDir?: string;
  /** A whole number. */
  readonly maxBackground?: string;
  /** A duration. */
  readonly maxBackgroundTime?: string;
  readonly owner?: string;
  readonly policyMode: 'default' | 'auto' | 'dangerous' | 'plan' | 'ci';
}
