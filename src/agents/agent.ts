import type { AgentDefinition } from '../config/agent-file-schema.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
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
import type { Tool } from '../tools/tool.ts';

/** Options of an agent. */
export interface AgentOptions {
  /** The agent, as its file describes it; see `loadAgent`. */
  readonly definition: AgentDefinition;
  /** Id of its conversation. Default: a new one. */
  readonly id?: string;
  /** Absolute path of the project, where commands run and which contains `agents/` and `.troupe/`. */
  readonly directory: string;
  /** The model that it asks; see `chooseModel`. */
  readonly model: ChatModel;
  /**
   * Tools beside those of its definition, such as `await fromMcpClient(client)`; `tools.allow` and `tools.deny` of the definition hold for them
   * too. Delegates do not have them. Default: none.
   */
  readonly tools?: readonly Tool[];
  /** Number of agents above this one; 0 for the first. A larger `TROUPE_DEPTH` in `env` takes precedence. */
  readonly depth: number;
  /**
   * Depth at which no more agents are started; the definition and `TROUPE_MAX_DEPTH` in `env` can only lower it.
   * Default: as they say, or 5.
   */
  readonly maxDepth?: number | undefined;
  /**
   * Restrictions of the agent above, which this one can only narrow. Default: from `TROUPE_POLICY` in `env`, if set.
   */
  readonly inherited?: Policy | PolicyOptions;
  /** Asks a person for consent. Default: whatever needs consent is denied. */
  readonly ask?: Ask;
  /** Asks a person for a secret without showing the input. Default: no person is asked. */
  readonly askSecret?: AskSecret;
  /** Persists its transcript and mailbox. Default: memory only. */
  readonly journal?: Journal;
  /** Supervisor of the agent above, for delegation within one program. Default: a new one. */
  readonly supervisor?: Supervisor;
  /** Id of the conversation above. Default: none. */
  readonly parent?: string;
  /** Returns the model of a delegate in this program. Default: see `chooseModel`. */
  readonly modelOf?: (definition: AgentDefinition) => ChatModel;
  /** Compacts its transcript. Default: see `ConversationOptions`. */
  readonly compact?: Compact;
  /** Receives every event of its conversation. */
  readonly onEvent?: (event: ConversationEvent) => void;
  /** Supervisor options that the host decides, not the definition. */
  readonly host?: Pick<
    SupervisorOptions,
    'clock' | 'backend' | 'remote' | 'stateDirectory' | 'handleSignals'
  >;
  /** Environment with model keys and settings of an agent above. Default: the environment of this program. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Program that runs a delegate, before `exec <agent> …`. Default: the command line of troupe. */
  readonly execCommand?: readonly [string, ...string[]];
}

/** Conversation with the tools, limits and restrictions of its definition. Closing it ends its processes. */
export interface Agent extends AsyncDisposable {
  readonly definition: AgentDefinition;
  readonly conversation: Conversation;
  readonly supervisor: Supervisor;
  /** Closes the conversation, and the supervisor if the agent owns it. */
  close(): Promise<void>;
}

/** Result of a run without a person: one JSON object, the same within one program and across programs. */
export type AgentResult =
  | {
      readonly ok: true;
      /** Answer of the turn of the task. */
      readonly data: string;
      /** Answers of later turns, such as a remark when a background process had ended. Absent where there are none. */
      readonly remarks?: readonly string[];
      /** Failure after the answer, such as a model error when a process had ended. */
      readonly note?: string;
    }
  | { readonly ok: false; readonly error: string };

/** Context that an agent passes to a delegate; the keys are those of the JSON. */
export interface DelegationContext {
  readonly parent_agent?: string;
  readonly parent_task?: string;
  readonly conversation_summary?: string;
  readonly relevant_facts?: readonly string[];
  readonly depth?: number;
  readonly [key: string]: unknown;
}
