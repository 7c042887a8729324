import { toError } from '../config/error-text.ts';
import type { FinalView } from '../process/process-view.ts';

/** `turn`: it wakes an agent that is idle. `context`: it is delivered with whatever comes next. `ignore`: it is not told. */
export type Attention = 'turn' | 'context' | 'ignore';

/**
 * How much an end matters. What the agent itself ended in the turn that runs is no news to it, and neither is what ends with
 * its supervisor; everything else is. A rule of the host's own can mute what succeeded, never what failed. One that throws
 * is none.
 */
export function toAttention(
  view: FinalView,
  { inTurn, rule }: { inTurn: boolean; rule: ((view: FinalView) => Attention) | undefined },
): Attention {
  const attention = applyRule(rule, view) ?? toDefault(view, inTurn);
  return attention === 'ignore' && isFailure(view) ? 'context' : attention;
}

/** An end must not be lost to somebody's mistake. */
function applyRule(rule: ((view: FinalView) => Attention) | undefined, view: FinalView): Attention | null {
  try {
    return rule?.(view) ?? null;
  } catch (error) {
    process.emitWarning(toError(error));
    return null;
  }
}

function toDefault({ reason }: FinalView, inTurn: boolean): Attention {
  if (reason.type !== 'killed' && reason.type !== 'cancelled') return 'turn';
  switch (reason.by) {
    case 'agent':
      return inTurn ? 'context' : 'turn';
    case 'owner':
    case 'supervisor':
      return 'context';
    default:
      return 'turn';
  }
}

function isFailure({ status }: FinalView): boolean {
  return status === 'failed' || status === 'timed_out' || status === 'lost';
}
