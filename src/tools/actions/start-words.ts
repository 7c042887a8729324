import { formatDuration } from '../../config/format-duration.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { ToolContext } from '../tool.ts';

/** How the agent gets to know of the end of what it has started. */
export function describeWhatComes({ tellsEnds }: Pick<ToolContext, 'tellsEnds'>): string {
  if (tellsEnds === true) return 'A notice comes by itself when it ends; there is no need to poll.';
  return tellsEnds === 'with-answers'
    ? 'Nothing wakes you when it ends: its end is told with the next answer of any of these tools.'
    : 'No notice comes when it ends: ask for its status when you need it.';
}

/** When a time limit will end the process; nothing where there is none. */
export function describeLimit(view: ProcessView, { clock }: Pick<ToolContext, 'clock'>): readonly string[] {
  if (!('endsAt' in view) || view.endsAt === null) return [];
  const left = formatDuration(Math.max(0, view.endsAt - clock.epochMs()));
  return [`A time limit ends it in ${left} if it has not ended by then.`];
}

/** How the agent gets to know of what it has asked to be told. */
export function describeTelling({ tellsEnds }: Pick<ToolContext, 'tellsEnds'>): string {
  if (tellsEnds === true) return 'A notice comes by itself; there is no need to poll.';
  return tellsEnds === 'with-answers'
    ? 'Nothing wakes you: it is told with the next answer of any of these tools.'
    : 'But no notice reaches you here: ask for the status, or wait for it.';
}

export const interruptedBefore = 'Interrupted before it began: nothing was started.';
