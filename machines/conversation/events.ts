import type { InboxItem } from './context.ts';

/** What comes from outside, at any time. */
export type InboxEvent =
  | { type: 'inbox.arrived'; item: InboxItem }
  /** What waits of these is void, or something newer takes its place: the agent is not to be told. */
  | { type: 'inbox.withdrawn'; ids: readonly string[] };

/** Who wants a shorter transcript: the model, the conversation's own limit, or a person. */
export type CompactionReason = 'model' | 'limit' | 'request';

/** What the effects of the chart tell of their outcome. Facts, past tense. */
export type ConversationFact =
  /** Whatever belonged to the same turn of the event loop is in the inbox. */
  | { type: 'inbox.gathered' }
  | { type: 'model.replied'; calls: number }
  /** `retryAfterMs`: what the endpoint asked for. */
  | { type: 'model.failed'; isRetryable: boolean; retryAfterMs: number | null }
  /** The transcript is too long for the model: by its own word, or by the limit that it is to keep to. */
  | { type: 'context.exceeded'; by: CompactionReason }
  /** The transcript is as short as it could be made. `isWorthAsking`: the model may take it now. */
  | { type: 'compaction.settled'; isWorthAsking: boolean }
  /** Every call of the step has its result. `revealed`: the notices that those results make superfluous. */
  | { type: 'calls.settled'; revealed: readonly string[] }
  /** Nothing that this conversation started is alive, and every end has arrived. */
  | { type: 'processes.gone' }
  | { type: 'conversation.closed' }
  /** An effect threw: nothing that follows could be trusted. */
  | { type: 'conversation.broke' };

/** What somebody wants of a conversation. */
export type ConversationCommand =
  | { type: 'turn.interrupt' }
  /** The transcript is made shorter, between two turns. */
  | { type: 'conversation.compact' }
  /** It ends once its processes have ended and the agent knows. After the deadline `background` no other turn begins. */
  | { type: 'conversation.finish'; waitMs: number }
  | { type: 'conversation.close' };

export type ConversationDeadlineName = 'retry' | 'background';

export type ConversationEvent =
  | InboxEvent
  | ConversationFact
  | ConversationCommand
  | { type: `deadline.${ConversationDeadlineName}` };
