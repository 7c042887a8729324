/** Entry that waits for the agent. Its content is known to the effects only. */
export interface MailboxItem {
  /** Identifies the event everywhere and for ever, so that it is taken in once. */
  readonly id: string;
  /** A `notice` is an event; all waiting notices become one message. A `message` stays a message of its own. */
  readonly kind: 'message' | 'notice';
  /** `turn` wakes an idle agent; `context` is delivered with the next delivery. */
  readonly attention: 'turn' | 'context';
}

export interface ConversationLimits {
  /** Maximum model calls in one turn. */
  readonly maxSteps: number;
  /** Maximum retries of a failed model call before the turn fails, while a person waits for the answer. */
  readonly maxRetries: number;
  /** Maximum retries in a turn that no person waits for. */
  readonly maxNoticeRetries: number;
  /** Pause before the first retry; doubles with each retry up to `maxBackoffMs`. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** Longest pause in a turn that no person waits for. */
  readonly maxNoticeBackoffMs: number;
  /** Maximum compactions of the transcript for one step before the turn fails. */
  readonly maxCompactions: number;
}

/** Reason for which a turn ended. */
export type TurnEnd = 'answered' | 'stepLimit' | 'failed' | 'interrupted' | 'closed';

export interface ConversationInput {
  readonly limits: ConversationLimits;
  /** Entries restored from a journal. */
  readonly mailbox: readonly MailboxItem[];
  /** Set when a turn was under way as the program ended: it is resumed. */
  readonly isUnfinished: boolean;
}

export interface ConversationContext {
  readonly limits: ConversationLimits;
  /** Entries in order of arrival, oldest first. */
  readonly mailbox: readonly MailboxItem[];
  readonly isUnfinished: boolean;
  /** Counters of the current turn: model calls, deliveries of notices, and model failures in a row. */
  readonly steps: number;
  readonly noticeDeliveries: number;
  readonly failures: number;
  /** Compactions of the transcript for the current step. */
  readonly compactions: number;
  /** Set once a person has written in the current turn and waits for its end. */
  readonly hasUserMessage: boolean;
  /** Pause that the endpoint asked for with the last failure; `null` without one. */
  readonly retryAfterMs: number | null;
  /** End of the conversation that was ordered, if any. */
  readonly ending: 'none' | 'withProcesses' | 'now';
  readonly isBroken: boolean;
}

export function createConversationContext(input: ConversationInput): ConversationContext {
  return {
    ...input,
    steps: 0,
    noticeDeliveries: 0,
    failures: 0,
    compactions: 0,
    hasUserMessage: false,
    retryAfterMs: null,
    ending: 'none',
    isBroken: false,
  };
}
