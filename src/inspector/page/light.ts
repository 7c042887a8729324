import { isWithin } from '../../charts/diagram.ts';

/** Tells whether a state of a chart is one of the active ones, or one of them lies inside it. */
export function isLit(state: string, active: readonly string[]): boolean {
  return state !== '' && active.some((each) => isWithin(each, state));
}

/** Tells whether an arrow stands for a transition that was taken: `a -> b, a -> c` is two of them. */
export function isWalked(stands: string, walked: readonly string[]): boolean {
  return stands.split(', ').some((each) => walked.includes(each));
}

/** Tells whether an arrow leads out of an active state or of one around it. */
export function isPossible(stands: string, active: readonly string[]): boolean {
  const sources = stands.split(', ').map((each) => each.split(' -> ')[0] ?? '');
  return sources.some((source) => active.some((state) => isWithin(state, source)));
}
