/** What waits for the agent. What it says is known where the effects are filled in. */
export interface InboxItem {
  /** The same thing has the same id everywhere and for ever: it is taken in once. */
  readonly id: string;
  /** A `notice` is something that happened; all that wait are one message. A `message` stays one by itself. */
  readonly kind: 'message' | 'notice';
  /** `turn` wakes an agent that is idle; `context` is delivered with whatever comes next. */
  readonly attention: 'turn' | 'context';
}

export interface ConversationLimits {
  /** How often the model may speak in one turn. */
  readonly maxSteps: number;
  /** How often a model that failed is asked again before the turn fails, while a person waits for the answer. */
  readonly maxRetries: number;
  /** The same for a turn that no person waits for. */
  readonly maxNoticeRetries: number;
  /** The first pause before a retry; each one after it is twice as long, up to `maxBackoffMs`. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
  /** The longest pause in a turn that no person waits for. */
  readonly maxNoticeBackoffMs: number;
  /** How often the transcript is made shorter for one step before the turn fails. */
  readonly maxCompactions: number;
}

/** Why a turn ended; the words belong to it elsewhere. */
export type TurnEnd = 'answered' | 'stepLimit' | 'failed' | 'interrupted' | 'closed';

export interface ConversationInput {
  readonly limits: ConversationLimits;
  /** What a journal held of the inbox. */
  readonly inbox: readonly InboxItem[];
  /** A turn was under way when the program ended: it is gone on with. */
  readonly isUnfinished: boolean;
}

export interface ConversationContext {
  readonly limits: ConversationLimits;
  /** Oldest first. */
  readonly inbox: readonly InboxItem[];
  readonly isUnfinished: boolean;
  /** Of the turn that runs: how often the model has spoken, notices were delivered, and the model failed in a row. */
  readonly steps: number;
  readonly noticeDeliveries: number;
  readonly failures: number;
  /** How often the transcript was made shorter for the step that runs. */
  readonly compactions: number;
  /** A person has said something in the turn that runs, and waits for its end. */
  readonly hasUserMessage: boolean;
  /** What the endpoint asked for with the last failure; `null` where it did not. */
  readonly retryAfterMs: number | null;
  /** How the conversation is to end, once somebody wants it to. */
  readonly ending: 'none' | 'withProcesses' | 'now';
  readonly isBroken: boolean;
}

/** A person's messages that one safe point delivers; the rest waits for the next safe point. */
const MAX_MESSAGES_PER_DELIVERY = 3;
/** How often notices are delivered in one turn; the rest waits for the next turn. A person's words have no such limit. */
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

/** Whether something waits that an idle agent is woken for. */
export function hasReasonToWake({ inbox, isUnfinished }: ConversationContext): boolean {
  return isUnfinished || inbox.some(({ attention }) => attention === 'turn');
}

/** Whether a person has said what the next safe point delivers. */
export function hasPendingMessage({ inbox }: ConversationContext): boolean {
  return inbox.some(({ kind }) => kind === 'message');
}

/** The ids that the next safe point takes out of the inbox: the oldest messages, and all notices, which are one message. */
export function nextDelivery({ inbox, noticeDeliveries }: ConversationContext): readonly string[] {
  const messages = inbox.filter(({ kind }) => kind === 'message').slice(0, MAX_MESSAGES_PER_DELIVERY);
  const canNotify = noticeDeliveries < MAX_NOTICE_DELIVERIES;
  const notices = inbox.filter(({ kind }) => kind === 'notice' && canNotify);
  return [...messages, ...notices].map(({ id }) => id);
}

/** Takes these entries out of the inbox. With a person's first words in a turn, the failures before them do not count. */
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

/** Whether a model that failed is asked again: less often while a person waits, and not after the time to finish in. */
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
