import { z } from 'zod';

export { formatDuration } from './format-duration.ts';

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const TEXT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A duration: milliseconds as a number, or text with a unit: `'250ms'`, `'30s'`, `'5m'`, `'2h'`, `'7d'`. */
export type Duration = number | string;

const EXPECTED = 'a duration: milliseconds from 0, or text such as "250ms", "30s", "5m"';

/** Accepts a `Duration` and yields milliseconds. */
export const duration = z
  .union([z.number(), z.string()], { error: () => EXPECTED })
  .transform((value, context) => {
    const ms = toMs(value);
    if (ms !== null) return ms;
    context.addIssue({ code: 'custom', message: EXPECTED });
    return z.NEVER;
  });

function toMs(value: Duration): number | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : null;
  const [, amount, unit] = TEXT.exec(value.trim()) ?? [];
  if (amount === undefined || unit === undefined) return null;
  return Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
