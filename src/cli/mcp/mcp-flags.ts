import type { ToolSetName } from '../../tools/tool-sets.ts';

/** The flags of `troupe mcp` as they stand on the command line. */
export interface McpFlags {
  /** `true`: at the usual address. */
  readonly http?: string | true;
  readonly allowRemote?: boolean;
  readonly tools: ToolSetName;
  readonly policyMode: 'default' | 'auto' | 'dangerous' | 'plan' | 'ci';
}
