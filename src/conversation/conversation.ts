import type { Observable } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import type { Duration } from '../config/duration.ts';
import type { PolicyOptions } from '../config/policy-options.ts';
import type { ChatMessage, ChatModel } from '../models/chat-model.ts';
import type { Ask } from '../policy/authorize.ts';
import type { Policy } from '../policy/policy.ts';
import type { FinalView } from '../process/process-view.ts';
import type { Journal } from '../store/journal.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Tool } from '../tools/tool.ts';
import type { Attention } from './attention.ts';
import type { Compact } from './compact.ts';
import type { ConversationEvent, TurnOutcome } from './conversation-event.ts';

export interface ConversationOptions {
  readonly supervisor: Supervisor;
  readonly model: ChatModel;
  /** Default: a new one. The owner of its processes. */
  readonly id?: string;
  /** The agent that questions to a person name. Default: `id`. */
  readonly agent?: string;
  /** Default: the set `process`. */
  readonly tools?: readonly Tool[];
  /** The first message, which the model gets before all others. */
  readonly systemPrompt?: string;
  /** What the agent may do. Default: starting, ending and writing are asked for; see `ask`. */
  readonly policy?: Policy | PolicyOptions;
  /** Asks a person. Where it is missing, whatever would be asked for is denied. */
  readonly ask?: Ask;
  /** How often the model may speak in one turn. Default 50. */
  readonly maxSteps?: number;
  /** How many calls of one step run at once. Default 5. */
  readonly maxParallelTools?: number;
  /**
   * How often a model that failed is asked again, and how long the first pause is; it doubles, up to 30 s. Default 3 and 1 s. In a
   * turn that a notice began, and that no person waits for, it is asked `maxNoticeRetries` times, with pauses of up to 5 min: default
   * 20, about an hour. What a person says meanwhile ends such a pause.
   */
  readonly retry?: {
    readonly maxRetries?: number;
    readonly minBackoff?: Duration;
    readonly maxNoticeRetries?: number;
  };
  /** How much an end matters. A failure counts as `context` at least. Default: see `Attention`. */
  readonly attention?: (view: FinalView) => Attention;
  /**
   * Keeps the transcript and the inbox. What it holds already is gone on with, an unfinished turn included. Default: memory
   * only.
   */
  readonly journal?: Journal;
  /** Who inherits processes with the lifetime `parent` at the end. Default: nobody, they are ended. */
  readonly parent?: string;
  /** The transcript is made shorter, to half of it, before the model is asked with more messages than this. Default: never. */
  readonly maxMessages?: number;
  /** The same with more tokens than this. Default: when the model says that it is too long. */
  readonly maxContextTokens?: number;
  /** Makes a transcript shorter. Default: old tool output goes first; the task, the notices and the last steps stay. */
  readonly compact?: Compact;
  /** Another clock, for tests: pauses before a model is asked again follow it. */
  readonly clock?: Clock;
  /** The same as a subscription to `events$` before anything happens. */
  readonly onEvent?: (event: ConversationEvent) => void;
}

/** What the agent is doing. */
export type ConversationStatus = 'idle' | 'thinking' | 'acting' | 'waiting' | 'done' | 'failed';

/** What a conversation does with its processes that still run when its work is done. */
export interface FinishOptions {
  /**
   * `wait`: until they have ended and the agent has been told of it, for `wait` at most; then, and with `kill`, they are ended. A turn
   * that runs is finished first, and no other begins after `wait`. What is persistent is neither waited for nor ended.
   */
  readonly background: 'wait' | 'kill';
  /** Default 60 s. */
  readonly wait?: Duration;
}

/**
 * An agent with a memory, and with processes of its own. It is woken by what is said to it and by the end of a process
 * that it started; each end is told to it once, or not at all when it has read of it already.
 */
export interface Conversation extends AsyncDisposable {
  /** The owner of its processes. */
  readonly id: string;
  readonly status: ConversationStatus;
  /**
   * Says something to the agent, now or at its next safe point. Resolves with the end of the turn that it became part of.
   *
   * @throws TroupeError `invalid-option` for an empty text; `inbox-full` when 1 000 messages wait already.
   */
  say(text: string): Promise<TurnOutcome>;
  /**
   * Tells the agent of something that happened outside, as a notice. The same `id` is told once.
   *
   * @returns `false` when that id was told before, the conversation is closed, or the attention is `ignore`.
   */
  notify(event: {
    readonly id: string;
    /** One line that says who tells. */
    readonly source: string;
    readonly text: string;
    /** Default `turn`. */
    readonly attention?: Attention;
  }): boolean;
  /**
   * Ends the turn that runs: the model stops, calls that wait answer with how far they are, foreground processes go to the
   * background. Resolves at the end of the turn. `false` when none ran.
   */
  interrupt(): Promise<boolean>;
  /** What was said so far; a copy. */
  readonly transcript: readonly ChatMessage[];
  /** Drops the oldest turns once nothing runs, and puts in what is alive of the agent's processes. Resolves with how many messages went. */
  shorten(options: { readonly keepMessages: number; readonly summary?: string }): Promise<number>;
  /**
   * Makes the transcript shorter by the option `compact` once nothing runs, to about half of it. Resolves with whether it is shorter;
   * `false` too when the conversation ends before.
   */
  compact(): Promise<boolean>;
  /** Resolves when the agent has nothing to do: no turn runs, and nothing waits that it would be woken for. */
  idle(): Promise<void>;
  /** Ends it once its processes have ended, or with them. Resolves with the last turn's outcome. */
  finish(options: FinishOptions): Promise<TurnOutcome | null>;
  /** What happens, from now on; completes with `close`. */
  readonly events$: Observable<ConversationEvent>;
  /** Ends the turn that runs, and the processes of this conversation. Afterwards nothing wakes it. */
  close(): Promise<void>;
}
