import type { NoticePart } from './notice-part.ts';

/** Message or notice that waits in a mailbox, with its content. Plain data: it can be persisted. */
export type MailboxEntry =
  | {
      readonly kind: 'message';
      readonly id: string;
      readonly attention: 'turn';
      readonly text: string;
    }
  /** A completion has the same id everywhere: `<process>/<attempt>/ended`. */
  | {
      readonly kind: 'notice';
      readonly id: string;
      readonly attention: 'turn' | 'context';
      readonly part: NoticePart;
    };
