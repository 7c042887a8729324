import type { InboxItem } from '../../machines/conversation/context.ts';
import type { NoticePart } from './notice-part.ts';

/** What waits for the agent, with what it says. Plain data: it can be written down. */
export type InboxEntry =
  | {
      readonly kind: 'message';
      readonly id: string;
      readonly attention: 'turn';
      readonly text: string;
    }
  /** A completion has the id it has everywhere: `<process>/<attempt>/ended`. */
  | {
      readonly kind: 'notice';
      readonly id: string;
      readonly attention: 'turn' | 'context';
      readonly part: NoticePart;
    };

/** The same for the chart, which decides without knowing the words. */
export function toInboxItem({ id, kind, attention }: InboxEntry): InboxItem {
  return { id, kind, attention };
}
