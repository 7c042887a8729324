/** The variable that tells a program at which depth an agent would be that is started there: 0 for a person's own. */
export const DEPTH_VARIABLE = 'TROUPE_DEPTH';

/** A depth as it stands in a variable or a flag: a whole number from 0; `null` for anything else. */
export function parseDepth(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
