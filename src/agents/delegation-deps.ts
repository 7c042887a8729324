import type { AgentDefinition } from '../config/agent-file.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { AgentResult, DelegationContext } from './agent.ts';

/** Work for a delegate that runs in this program. */
export interface InProcessDelegation {
  readonly definition: AgentDefinition;
  readonly task: string;
  readonly context: DelegationContext;
  /** The conversation above. */
  readonly parent: string;
  readonly signal: AbortSignal;
  /** Told of each call that the delegate makes, by the tool's name. */
  readonly onCall: (name: string) => void;
}

/** What an agent has at hand when it delegates. */
export interface DelegationDeps {
  readonly definition: AgentDefinition;
  /** Those that it may delegate to. */
  readonly delegates: readonly AgentDefinition[];
  readonly directory: string;
  readonly depth: number;
  readonly maxDepth: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program that runs a delegate, before `exec <agent> …`. */
  readonly execCommand: readonly [string, ...string[]];
  /** How a delegate in a program of its own asks the person: the value of `TROUPE_ASK`. `null` where there is no person. */
  readonly asks: string | null;
  /** It is itself a process of its supervisor, and would hold a slot while it waits for another one. */
  readonly isNested: boolean;
  transcript(): readonly ChatMessage[];
  /** Never rejects. */
  runInProcess(delegation: InProcessDelegation): Promise<AgentResult>;
}
