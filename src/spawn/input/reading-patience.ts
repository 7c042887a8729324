/** How long a program that does not read what is typed is waited for, anew whenever it has read something. */
export const readingPatienceMs = 10_000;

/** Why what was typed is refused as `notReading`. */
export const notRead = `It has not read what is typed for ${readingPatienceMs / 1_000} s.`;

/** The pause before the second look: nothing tells when there is room again. */
export const firstLookMs = 1;
const longestLookMs = 20;

/** Who is not read soon is looked at less often. */
export function toNextLookMs(lookMs: number): number {
  return Math.min(lookMs * 2, longestLookMs);
}
