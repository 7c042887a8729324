import type { Observable } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import type { Duration } from '../config/duration.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import type { Attention } from '../mailbox/attention.ts';
import type { MailboxEntry } from '../mailbox/mailbox-entry.ts';
import type { ChatMessage, ChatModel } from '../models/chat-model.ts';
import type { Ask } from '../policy/authorize.ts';
import type { Policy } from '../policy/policy.ts';
import type { FinalView } from '../process/process-view.ts';
import type { Journal } from '../store/journal.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Tool } from '../tools/tool.ts';
import type { Compact } from './compact.ts';
import type { ConversationEvent, TurnOutcome } from './conversation-event.ts';

/** Options of `createConversation`. Only `supervisor` and `model` are required. */
export interface ConversationOptions {
  /** Runs its processes; the caller shuts it down. */
  readonly supervisor: Supervisor;
  /** The model that the agent asks; see `createOpenAiModel`, `createAiSdkModel` and `createScriptedModel`. */
  readonly model: ChatModel;
  /** The owner of its processes. Default: a new id. */
  readonly id?: string;
  /** The name of the agent in questions to a person. Default: `id`. */
  readonly agent?: string;
  /** The tools of the agent. Default: the set `process`. */
  readonly tools?: readonly Tool[];
  /** The first message of the transcript. Default: none. */
  readonly systemPrompt?: string;
  /** Decides what the agent may do. Default: starting, ending and writing need consent; see `ask`. */
  readonly policy?: Policy | PolicyOptions;
  /** Asks a person. Default: whatever needs consent is denied. */
  readonly ask?: Ask;
  /** Maximum number of replies in one turn. Default 50. */
  readonly maxSteps?: number;
  /** Maximum number of calls of one step that run at once. Default 5. */
  readonly maxParallelTools?: number;
  /** Retries after a failure of the model. A person's message ends a pause. Default: see each. */
  readonly retry?: {
    /** Maximum number of retries in a turn that a person waits for. Default 3. */
    readonly maxRetries?: number | undefined;
    /** The first pause; it doubles, up to 30 s. Default 1 s. */
    readonly minBackoff?: Duration | undefined;
    /** Maximum number of retries in a turn that a notice began, with pauses of up to 5 min: about an hour. Default 20. */
    readonly maxNoticeRetries?: number | undefined;
  };
  /** Decides how much an end matters. A failure is `context` at least. Default: see `Attention`. */
  readonly attention?: (view: FinalView) => Attention;
  /**
   * Persists the transcript and the mailbox. The conversation continues with what the journal holds, an unfinished turn included.
   * Default: memory only.
   */
  readonly journal?: Journal;
  /** The owner that inherits processes with the lifetime `parent` at the end. Default: none, they are ended. */
  readonly parent?: string;
  /** Beyond this number of messages the transcript is compacted to half of it before the model is asked. Default: never. */
  readonly maxMessages?: number;
  /** The same for tokens. Default: when the model says that the transcript is too long. */
  readonly maxContextTokens?: number;
  /** Makes a transcript shorter. Default: old tool output is removed first; the task, the notices and the last steps stay. */
  readonly compact?: Compact;
  /** The clock for pauses before a retry, in tests. Default: the machine's monotonic clock. */
  readonly clock?: Clock;
  /** Receives every event, as a subscription to `events$` before the first one would. */
  readonly onEvent?: (event: ConversationEvent) => void;
}

/** The activity of the agent. */
export type ConversationStatus = 'idle' | 'thinking' | 'acting' | 'waiting' | 'done' | 'failed';

/** The fate of processes that still run when the work of the conversation is done. `background` is required. */
export interface FinishOptions {
  /**
   * `wait` waits until they have ended and their ends are delivered, for the time `wait` at most, and kills the rest; `kill` kills them at
   * once. The current turn finishes first, and no other begins after `wait`. Persistent processes are neither waited for nor ended.
   */
  readonly background: 'wait' | 'kill';
  /** Maximum time to wait for them. Default 1 min. */
  readonly wait?: Duration | undefined;
}

/**
 * An agent with a memory and with processes of its own. A message wakes it, and so does the end of a process
 * that it started; each end is delivered once, or not at all where an answer has shown it already.
 */
export interface Conversation extends AsyncDisposable {
  /** The owner of its processes. */
  readonly id: string;
  readonly status: ConversationStatus;
  /**
   * Sends a person's message to the agent, at its next safe point. Resolves with the outcome of the turn that it becomes part of.
   *
   * @throws TroupeError `invalid-option` for an empty text; `inbox-full` when 1 000 messages wait already.
   */
  say(text: string): Promise<TurnOutcome>;
  /**
   * Adds a notice of something that happened outside. The same `id` is delivered once.
   *
   * @returns `false` where that id is known, the conversation is closed, or the attention is `ignore`.
   */
  notify(event: {
    /** Id of the notice, 256 characters at most. */
    readonly id: string;
    /** Name of the source, one line. */
    readonly source: string;
    /** The event, described for the model. */
    readonly text: string;
    /** The urgency of the notice. Default `turn`. */
    readonly attention?: Attention;
  }): boolean;
  /**
   * Ends the current turn: the model stops, waiting calls answer with how far they are, foreground processes go to the
   * background. Resolves at the end of the turn; with `false` where none runs.
   */
  interrupt(): Promise<boolean>;
  /** A copy of the transcript. */
  readonly transcript: readonly ChatMessage[];
  /** Messages and notices that wait to enter the transcript, oldest first. */
  readonly inbox: readonly MailboxEntry[];
  /** Drops the oldest turns once no turn runs, and lists the live processes in their place. Resolves with the number of dropped messages. */
  shorten(options: {
    /** Number of newest messages that stay. */
    readonly keepMessages: number;
    /** Text that stands for the dropped ones. Default: none. */
    readonly summary?: string;
  }): Promise<number>;
  /**
   * Compacts the transcript to about half of it, by the option `compact`, once no turn runs. Resolves with whether it is shorter;
   * with `false` where the conversation ends before.
   */
  compact(): Promise<boolean>;
  /** Resolves when the agent is idle: no turn runs, and no pending message, notice or process end will start one. */
  idle(): Promise<void>;
  /** Ends the conversation after its processes, or with them. Resolves with the outcome of the last turn. */
  finish(options: FinishOptions): Promise<TurnOutcome | null>;
  /** Events from now on; completes with `close`. */
  readonly events$: Observable<ConversationEvent>;
  /** Ends the current turn and the processes of this conversation. */
  close(): Promise<void>;
}
