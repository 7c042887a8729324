/** Entry that waits for the agent. Its content is known to the effects only. */
export interface InboxItem {
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
  readonly inbox: readonly InboxItem[];
  /** Set when a turn was under way as the program ended: it is resumed. */
  readonly isUnfinished: boolean;
}

export interface ConversationContext {
  readonly limits: ConversationLimits;
  /** Entries in order of arrival, oldest first. */
  readonly inbox: readonly InboxItem[];
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

/** Messages of a person that one safe point delivers; the rest waits for the next safe point. */
const MAX_MESSAGES_PER_DELIVERY = 3;
/** Deliveries of notices in one turn; the rest waits for the next turn. Messages have no such limit. */
const MAX_NOTICE_DELIVERIES = 5;

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

/** Tells whether an entry waits that wakes an idle agent. */
export function hasReasonToWake({ inbox, isUnfinished }: ConversationContext): boolean {
  return isUnfinished || inbox.some(({ attention }) => attention === 'turn');
}

/** Tells whether a person's message waits for the next safe point. */
export function hasPendingMessage({ inbox }: ConversationContext): boolean {
  return inbox.some(({ kind }) => kind === 'message');
}

/** Returns the ids that the next safe point takes out of the inbox: the oldest messages, and all notices, which become one message. */
export function nextDelivery({ inbox, noticeDeliveries }: ConversationContext): readonly string[] {
  const messages = inbox.filter(({ kind }) => kind === 'message').slice(0, MAX_MESSAGES_PER_DELIVERY);
  const canNotify = noticeDeliveries < MAX_NOTICE_DELIVERIES;
  const notices = inbox.filter(({ kind }) => kind === 'notice' && canNotify);
  return [...messages, ...notices].map(({ id }) => id);
}

/** Removes delivered entries from the inbox. A person's first message in a turn resets the count of failures. */
export function removeDelivered(
  context: ConversationContext,
  ids: readonly string[],
): Partial<ConversationContext> {
  const wanted = new Set(ids);
  const taken = context.inbox.filter(({ id }) => wanted.has(id));
  const bringsMessage = taken.some(({ kind }) => kind === 'message');
  const bringsNotice = taken.some(({ kind }) => kind === 'notice');
  return {
    inbox: context.inbox.filter(({ id }) => !wanted.has(id)),
    noticeDeliveries: context.noticeDeliveries + (bringsNotice ? 1 : 0),
    hasUserMessage: context.hasUserMessage || bringsMessage,
    failures: bringsMessage && !context.hasUserMessage ? 0 : context.failures,
  };
}

/** Tells whether a failed model call is retried: more often while a person waits, and not after the background deadline. */
export function isWorthRetrying({ limits, failures, hasUserMessage, ending }: ConversationContext): boolean {
  return hasUserMessage
    ? failures < limits.maxRetries
    : ending !== 'now' && failures < limits.maxNoticeRetries;
}

export function toBackoffMs({ limits, failures, retryAfterMs, hasUserMessage }: ConversationContext): number {
  const longestMs = hasUserMessage ? limits.maxBackoffMs : limits.maxNoticeBackoffMs;
  const doubled = Math.min(longestMs, limits.minBackoffMs * 2 ** Math.max(0, failures - 1));
  return Math.max(doubled, retryAfterMs ?? 0);
}
