import type { AgentDefinition } from '../config/agent-file.ts';
import type { AskSecret } from '../config/secret-source.ts';
import type { Compact } from '../conversation/compact.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { ConversationEvent } from '../conversation/conversation-event.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { Ask } from '../policy/authorize.ts';
import type { Policy } from '../policy/policy.ts';
import type { Journal } from '../store/journal.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';

/** What an agent is made of. */
export interface AgentOptions {
  readonly definition: AgentDefinition;
  /** Of its conversation. Default: a new one. */
  readonly id?: string;
  /** The project: where commands run, and where `agents/` and `.troupe/` are. Absolute. */
  readonly directory: string;
  readonly model: ChatModel;
  /** How many agents stand above this one: 0 for the first. What `TROUPE_DEPTH` in `env` says counts where it is more. */
  readonly depth: number;
  /**
   * At this depth no agent is started any more; the definition and `TROUPE_MAX_DEPTH` in `env` can only lower it. Default: as these
   * say, or 5.
   */
  readonly maxDepth?: number | undefined;
  /** Restrictions of the agent above: this one can only narrow them. Default: what `TROUPE_POLICY` in `env` says, if anything. */
  readonly inherited?: Policy;
  readonly ask?: Ask;
  /** Asks a person for a secret, and does not show what is typed. Default: nobody is asked. */
  readonly askSecret?: AskSecret;
  readonly journal?: Journal;
  /** The supervisor of the agent above, for delegation within one program. Default: one of its own. */
  readonly supervisor?: Supervisor;
  /** The conversation above. */
  readonly parent?: string;
  /** The model of a delegate that runs in this program. Default: as `chooseModel` says. */
  readonly modelOf?: (definition: AgentDefinition) => ChatModel;
  /** Makes its transcript shorter. Default: see `ConversationOptions`. */
  readonly compact?: Compact;
  readonly onEvent?: (event: ConversationEvent) => void;
  /** What of its supervisor is the host's affair and not the definition's. */
  readonly host?: Pick<SupervisorOptions, 'clock' | 'backend' | 'stateDirectory' | 'handleSignals'>;
  /** Where the keys for models are, and what an agent above has said. Default: the environment of this program. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The program that runs a delegate, before `exec <agent> …`. Default: the command line of troupe. */
  readonly execCommand?: readonly [string, ...string[]];
}

/** A conversation with the tools, limits and restrictions of its definition. Closing it ends its processes. */
export interface Agent extends AsyncDisposable {
  readonly definition: AgentDefinition;
  readonly conversation: Conversation;
  readonly supervisor: Supervisor;
  /** Closes the conversation, and the supervisor where it is its own. */
  close(): Promise<void>;
}

/** What a headless run answers: one JSON object, the same in one program and across programs. */
export type AgentResult =
  | {
      readonly ok: true;
      readonly data: string;
      /** What went wrong after the answer, such as a model that failed when a process had ended. */
      readonly note?: string;
    }
  | { readonly ok: false; readonly error: string };

/** What an agent that delegates tells the other one; the keys are as they travel. */
export interface DelegationContext {
  readonly parent_agent?: string;
  readonly parent_task?: string;
  readonly conversation_summary?: string;
  readonly relevant_facts?: readonly string[];
  readonly depth?: number;
  readonly [key: string]: unknown;
}
