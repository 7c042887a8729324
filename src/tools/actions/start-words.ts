import type { NoticeDelivery, ToolContext } from '../tool.ts';

const endWords: Readonly<Record<NoticeDelivery, string>> = {
  wake: 'A notice comes by itself when it ends; there is no need to poll.',
  'next-answer':
    'Nothing wakes you when it ends: wait for it, or ask; its end is also told with the next answer of any of these tools.',
  none: 'No notice comes when it ends: ask for its status when you need it.',
};

/** How the agent learns of the end of what it has started. */
export function describeWhatComes({ notices }: Pick<ToolContext, 'notices'>): string {
  return endWords[notices];
}

const newsWords: Readonly<Record<NoticeDelivery, string>> = {
  wake: 'A notice comes by itself; there is no need to poll.',
  'next-answer': 'Nothing wakes you: it is told with the next answer of any of these tools.',
  none: 'No notice of it reaches you: ask when you need to know.',
};

/** How the agent learns of what it has asked to be told. */
export function describeTelling({ notices }: Pick<ToolContext, 'notices'>): string {
  return newsWords[notices];
}

export const interruptedBefore = 'Interrupted before it began: nothing was started.';
