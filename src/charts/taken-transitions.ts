import type { AnyStateNode, InspectionEvent } from 'xstate';
import { toGuardLabel } from './labels.ts';

/** Transition as a microstep of XState reports it. */
export interface TakenTransition {
  readonly source: AnyStateNode;
  readonly target: readonly AnyStateNode[] | undefined;
  readonly guard?: unknown;
}

/** Returns the transitions that a microstep took. */
export function takenIn(
  event: Extract<InspectionEvent, { type: '@xstate.microstep' }>,
): readonly TakenTransition[] {
  return event._transitions as readonly TakenTransition[];
}

/** Returns the labels of the guards that chose. */
export function toGuardLabels(transitions: readonly TakenTransition[]): readonly string[] {
  return transitions.flatMap(({ guard }) => toGuardLabel(guard) ?? []);
}
