import { toError } from '../config/error-text.ts';
import type { FinalView } from '../process/process-view.ts';

/** The weight of an end: `turn` wakes an idle agent, `context` is delivered with whatever comes next, `ignore` is not delivered. */
export type Attention = 'turn' | 'context' | 'ignore';

/**
 * Decides how much an end matters. An end that the agent caused in the current turn, or that comes with the end of its supervisor, wakes
 * no agent; every other does. A rule of the host can mute a success, never a failure. A rule that throws is ignored.
 */
export function toAttention(
  view: FinalView,
  { inTurn, rule }: { inTurn: boolean; rule?: ((view: FinalView) => Attention) | undefined },
): Attention {
  const attention = applyRule(rule, view) ?? toDefault(view, inTurn);
  return attention === 'ignore' && isFailure(view) ? 'context' : attention;
}

/** Returns `null` for a rule that throws: its mistake must not lose an end. */
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
