import type { ConversationContext } from './context.ts';

/** Tells whether a failed model call is retried: more often while a person waits, and not after the background deadline. */
export function isWorthRetrying({ limits, failures, hasUserMessage, ending }: ConversationContext): boolean {
  return hasUserMessage
    ? failures < limits.maxRetries
    : ending !== 'now' && failures < limits.maxNoticeRetries;
}

/** Returns the pause before the next retry. It doubles with each failure and is never shorter than the endpoint asked for. */
export function toBackoffMs({ limits, failures, retryAfterMs, hasUserMessage }: ConversationContext): number {
  const longestMs = hasUserMessage ? limits.maxBackoffMs : limits.maxNoticeBackoffMs;
  const doubled = Math.min(longestMs, limits.minBackoffMs * 2 ** Math.max(0, failures - 1));
  return Math.max(doubled, retryAfterMs ?? 0);
}
