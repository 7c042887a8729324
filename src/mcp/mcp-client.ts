import type { Policy } from '../policy/policy.ts';
import type { Tool } from '../tools/tool.ts';
import type { FindPlace } from './client-place.ts';
import type { ClientProcesses } from './client-processes.ts';
import type { ChangeTiming } from './resource-changes.ts';

/** Client with all its connections or requests. */
export interface McpClient {
  readonly processes: ClientProcesses;
  /** The tools that its policy offers. */
  readonly tools: readonly Tool[];
  /** The policy before the directory is known: it decides which tools are offered, and how long a question waits. */
  readonly policy: Policy;
  readonly findPlace: FindPlace;
  readonly timing: ChangeTiming;
  /** The version that this server reports. */
  readonly version: string;
  /** The processes outlive the client. */
  readonly keepsProcesses: boolean;
  /** Aborted when the client is gone for good. */
  readonly closed: AbortSignal;
  /** Receives errors of the connection to the client; they end no process. */
  readonly onError: (error: Error) => void;
}
