import type { AgentDefinition } from '../config/agent-file-schema.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { AgentResult, DelegationContext } from './agent.ts';

/** Work for a delegate that runs in this program. */
export interface InProcessDelegation {
  /** Id of the delegate's process and conversation. */
  readonly id: string;
  readonly definition: AgentDefinition;
  readonly task: string;
  readonly context: DelegationContext;
  /** Id of the conversation above. */
  readonly parent: string;
  readonly signal: AbortSignal;
  /** Called with the tool's name for each call of the delegate. */
  readonly onCall: (name: string) => void;
}

/** Resources of an agent that delegates. */
export interface DelegationDeps {
  readonly definition: AgentDefinition;
  /** Agents that it may delegate to. */
  readonly delegates: readonly AgentDefinition[];
  readonly directory: string;
  readonly depth: number;
  readonly maxDepth: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Program that runs a delegate, before `exec <agent> …`. Default: the command line of troupe. */
  readonly execCommand?: readonly [string, ...string[]] | undefined;
  /**
   * Value of `TROUPE_ASK`, with which a delegate in a program of its own asks the person. `null` where there is no
   * person.
   */
  readonly asks: string | null;
  /** The agent is itself a process of its supervisor, so it would hold a slot while waiting for another. */
  readonly isNested: boolean;
  transcript(): readonly ChatMessage[];
  /** Runs the delegate. Never rejects. */
  runInProcess(delegation: InProcessDelegation): Promise<AgentResult>;
}
