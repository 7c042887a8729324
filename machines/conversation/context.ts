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
  /** How often a model that failed is asked again before the turn fails. */
  readonly maxRetries: number;
  /** The first pause before a retry; each one after it is twice as long, up to `maxBackoffMs`. */
  readonly minBackoffMs: number;
  readonly maxBackoffMs: number;
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
  /** Of the turn that runs: how often the model has spoken, the inbox was emptied, and the model failed in a row. */
  readonly steps: number;
  readonly deliveries: number;
  readonly failures: number;
  /** What the endpoint asked for with the last failure; `null` where it did not. */
  readonly retryAfterMs: number | null;
  /** How the conversation is to end, once somebody wants it to. */
  readonly ending: 'none' | 'withProcesses' | 'now';
  readonly isBroken: boolean;
}

/** What is delivered at one safe point, and how often in one turn. The rest waits for the next turn. */
const MAX_MESSAGES_PER_DELIVERY = 3;
const MAX_DELIVERIES_PER_TURN = 5;

export function createConversationContext(input: ConversationInput): ConversationContext {
  return {
    ...input,
    steps: 0,
    deliveries: 0,
    failures: 0,
    retryAfterMs: null,
    ending: 'none',
    isBroken: false,
  };
}

/** Whether something waits that an idle agent is woken for. */
export function isCalled({ inbox, isUnfinished }: ConversationContext): boolean {
  return isUnfinished || inbox.some(({ attention }) => attention === 'turn');
}

/** Whether the next safe point takes anything out of the inbox. */
export function canDeliver({ deliveries }: ConversationContext): boolean {
  return deliveries < MAX_DELIVERIES_PER_TURN;
}

/** Whether somebody has said what the next safe point will tell the agent. */
export function hasWordToHear(context: ConversationContext): boolean {
  return canDeliver(context) && context.inbox.some(({ kind }) => kind === 'message');
}

/** What the next safe point takes out of the inbox: all notices, which are one message, then the oldest messages. */
export function nextDelivery(context: ConversationContext): readonly string[] {
  const { inbox } = context;
  if (!canDeliver(context)) return [];
  const notices = inbox.filter(({ kind }) => kind === 'notice');
  const room = MAX_MESSAGES_PER_DELIVERY - (notices.length > 0 ? 1 : 0);
  const messages = inbox.filter(({ kind }) => kind === 'message').slice(0, room);
  return [...notices, ...messages].map(({ id }) => id);
}

export function toBackoffMs({ limits, failures, retryAfterMs }: ConversationContext): number {
  const doubled = Math.min(limits.maxBackoffMs, limits.minBackoffMs * 2 ** Math.max(0, failures - 1));
  return Math.max(doubled, retryAfterMs ?? 0);
}
