import type { MailboxItem } from './context.ts';

/** Events from outside, which may come at any time. */
type MailboxEvent =
  | { type: 'mailbox.arrived'; item: MailboxItem }
  /** Withdraws entries that are void or replaced by newer ones. */
  | { type: 'mailbox.withdrawn'; ids: readonly string[] };

/** Origin of a compaction: the model's context limit, the conversation's own limit, or a person. */
export type CompactionReason = 'model' | 'limit' | 'request';

/** Outcomes that effects report. Facts, in the past tense. */
export type ConversationFact =
  /** Entries of the same turn of the event loop are in the mailbox. */
  | { type: 'mailbox.gathered' }
  | { type: 'model.replied'; calls: number }
  /** `retryAfterMs`: the pause that the endpoint asked for. */
  | { type: 'model.failed'; isRetryable: boolean; retryAfterMs: number | null }
  /** The transcript is too long, according to the model or to the conversation's own limit. */
  | { type: 'context.exceeded'; by: CompactionReason }
  /** Compaction is finished. `isWorthAsking`: the transcript may fit the model now. */
  | { type: 'compaction.settled'; isWorthAsking: boolean }
  /** The last call of the step has its result. `revealed`: ids of notices that the results make superfluous. */
  | { type: 'calls.settled'; revealed: readonly string[] }
  /** No process of this conversation is alive, and every end has arrived. */
  | { type: 'processes.gone' }
  | { type: 'conversation.closed' }
  /** An effect threw, so no later result could be trusted. */
  | { type: 'conversation.broke' };

/** Commands to a conversation. */
type ConversationCommand =
  | { type: 'turn.interrupt' }
  /** Compacts the transcript between two turns. */
  | { type: 'conversation.compact' }
  /** Ends the conversation once its processes have ended and the agent has been notified. No turn begins after the deadline `background`. */
  | { type: 'conversation.finish'; waitMs: number }
  | { type: 'conversation.close' };

export type ConversationDeadlineName = 'retry' | 'background';

export type ConversationEvent =
  | MailboxEvent
  | ConversationFact
  | ConversationCommand
  | { type: `deadline.${ConversationDeadlineName}` };
