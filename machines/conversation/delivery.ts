import type { ConversationContext } from './context.ts';

/** Messages of a person that one safe point delivers; the rest waits for the next safe point. */
const MAX_MESSAGES_PER_DELIVERY = 3;
/** Deliveries of notices in one turn; the rest waits for the next turn. Messages have no such limit. */
const MAX_NOTICE_DELIVERIES = 5;

/** Tells whether an entry waits that wakes an idle agent. */
export function hasReasonToWake({ mailbox, isUnfinished }: ConversationContext): boolean {
  return isUnfinished || mailbox.some(({ attention }) => attention === 'turn');
}

/** Tells whether a person's message waits for the next safe point. */
export function hasPendingMessage({ mailbox }: ConversationContext): boolean {
  return mailbox.some(({ kind }) => kind === 'message');
}

/** Returns the ids that the next safe point takes out of the mailbox: the oldest messages, and all notices, which become one message. */
export function nextDelivery({ mailbox, noticeDeliveries }: ConversationContext): readonly string[] {
  const messages = mailbox.filter(({ kind }) => kind === 'message').slice(0, MAX_MESSAGES_PER_DELIVERY);
  const canNotify = noticeDeliveries < MAX_NOTICE_DELIVERIES;
  const notices = mailbox.filter(({ kind }) => kind === 'notice' && canNotify);
  return [...messages, ...notices].map(({ id }) => id);
}

/** Removes delivered entries from the mailbox. A person's first message in a turn resets the count of failures. */
export function removeDelivered(
  context: ConversationContext,
  ids: readonly string[],
): Partial<ConversationContext> {
  const wanted = new Set(ids);
  const taken = context.mailbox.filter(({ id }) => wanted.has(id));
  const bringsMessage = taken.some(({ kind }) => kind === 'message');
  const bringsNotice = taken.some(({ kind }) => kind === 'notice');
  return {
    mailbox: context.mailbox.filter(({ id }) => !wanted.has(id)),
    noticeDeliveries: context.noticeDeliveries + (bringsNotice ? 1 : 0),
    hasUserMessage: context.hasUserMessage || bringsMessage,
    failures: bringsMessage && !context.hasUserMessage ? 0 : context.failures,
  };
}
