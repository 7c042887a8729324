import type { NoticeDelivery, ToolContext } from './tool.ts';

type Words = Readonly<Record<NoticeDelivery, string>>;

const ends: Words = {
  wake: 'You will get a notice when it ends; do not poll.',
  'next-step':
    'A notice of its end comes with your next step, or at the beginning of your next turn; nothing wakes you before. Wait for it if you need its result now.',
  'next-answer':
    'Nothing wakes you when it ends: wait for it or check it. The next answer of any of these tools also reports its end.',
  none: 'You get no notice when it ends: check its status when you need it.',
};

/** Describes how the agent learns of the end of a process. */
export function describeEndNotice({ notices }: Pick<ToolContext, 'notices'>): string {
  return ends[notices];
}

const requested: Words = {
  wake: 'You will get a notice; do not poll.',
  'next-step':
    'The notice comes with your next step, or at the beginning of your next turn; nothing wakes you before.',
  'next-answer': 'Nothing wakes you: the next answer of any of these tools reports it.',
  none: 'You get no notice: check when you need to know.',
};

/** Describes how the agent receives notices that it asked for. */
export function describeNotices({ notices }: Pick<ToolContext, 'notices'>): string {
  return requested[notices];
}

const endsShortly: Words = {
  wake: 'A notice reports its end.',
  'next-step': 'A notice with your next step reports its end.',
  'next-answer': 'The next answer of any of these tools reports its end.',
  none: 'No notice reports its end: check it, or wait for it.',
};

/** The sentence on the end of a background process for the description of a tool. */
export const onEnd = (notices: NoticeDelivery): string => endsShortly[notices];

const requestedShortly: Words = {
  wake: 'It reaches you as a notice, also while you are idle.',
  'next-step': 'It reaches you as a notice with your next step, or at the beginning of your next turn.',
  'next-answer': 'It reaches you with the next answer of any of these tools.',
  none: 'No notice reaches you here: check when you need to know.',
};

/** The sentence on a requested notice for the description of a tool. */
export const onRequest = (notices: NoticeDelivery): string => requestedShortly[notices];
