/** The flags of `troupe mcp` as they stand on the command line. */
export interface McpFlags {
  /** `true`: at the usual address. */
  readonly http?: string | true;
  readonly allowRemote?: boolean;
  /** Names of sets, with commas between them. */
  readonly tools: string;
  /** `name=env:VARIABLE` or `name=file:PATH` each. */
  readonly secret?: readonly string[];
  readonly policyMode: 'default' | 'auto' | 'dangerous' | 'plan' | 'ci';
}
