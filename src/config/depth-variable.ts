/** The variable that tells a program the depth of an agent started there: 0 for a person's own. */
export const DEPTH_VARIABLE = 'TROUPE_DEPTH';

/** Parses a depth in a variable or flag: a whole number from 0; `null` for anything else. */
export function parseDepth(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
