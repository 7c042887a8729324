import type { ToolContext } from '../tool.ts';

/** How the agent gets to know of the end of what it has started. */
export function describeWhatComes({ tellsEnds }: Pick<ToolContext, 'tellsEnds'>): string {
  return tellsEnds
    ? 'A notice comes by itself when it ends; there is no need to poll.'
    : 'No notice comes when it ends: ask for its status when you need it.';
}

/** How the agent gets to know of what it has asked to be told. */
export function describeTelling({ tellsEnds }: Pick<ToolContext, 'tellsEnds'>): string {
  return tellsEnds
    ? 'A notice comes by itself; there is no need to poll.'
    : 'Nothing wakes you: it is told with the next answer of any of these tools.';
}

export const interruptedBefore = 'Interrupted before it began: nothing was started.';
