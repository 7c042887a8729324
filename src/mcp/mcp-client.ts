import type { Grants } from '../policy/grant.ts';
import type { Policy } from '../policy/policy.ts';
import type { Tool } from '../tools/tool.ts';
import type { ClientProcesses } from './client-processes.ts';
import type { ChangeTiming } from './resource-changes.ts';

/** One client, however many connections or requests it comes with. */
export interface McpClient {
  readonly processes: ClientProcesses;
  /** Those that its policy offers. */
  readonly tools: readonly Tool[];
  readonly policy: Policy;
  /** What its person has allowed with "always". */
  readonly grants: Grants;
  readonly timing: ChangeTiming;
  /** As this server calls itself. */
  readonly version: string;
  /** Aborted when it has gone for good. */
  readonly closed: AbortSignal;
  /** Gets what goes wrong on the way to the client; nothing of it ends a process. */
  readonly onError: (error: Error) => void;
}
