import type { Grants } from '../policy/grant.ts';
import type { Policy } from '../policy/policy.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Tool } from '../tools/tool.ts';
import type { FindPlace } from './client-place.ts';
import type { ClientProcesses } from './client-processes.ts';
import type { ChangeTiming } from './resource-changes.ts';

/** One client, however many connections or requests it comes with. */
export interface McpClient {
  readonly processes: ClientProcesses;
  /** Those that its policy offers. */
  readonly tools: readonly Tool[];
  /** As it stands before anybody knows where the client works: it says which tools there are, and how long a person is waited for. */
  readonly policy: Policy;
  /** The same policy for where this supervisor's commands run. */
  readonly policyOf: (supervisor: Pick<Supervisor, 'cwd'>) => Policy;
  readonly findPlace: FindPlace;
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
