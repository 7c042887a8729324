import { z } from 'zod';
import { duration } from './duration.ts';

/**
 * A duration in a file: seconds as a number, or text with a unit: `'250ms'`, `'30s'`, `'5m'`, `'2h'`, `'7d'`.
 */
export type Span = number | string;

const EXPECTED = 'a duration: seconds from 0, or text such as "250ms", "30s", "5m"';

/** Accepts a `Span` unchanged; `toMs` converts it to milliseconds. */
export const span = z
  .union([z.number(), z.string()], { error: () => EXPECTED })
  .refine((value) => duration.safeParse(value).success, { error: () => EXPECTED });

/** Converts a checked `Span` to milliseconds. */
export function toMs(value: Span): number {
  return typeof value === 'number' ? value * 1_000 : duration.parse(value);
}
